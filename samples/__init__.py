"""The sample pack: prose in documents/*.md and notices/*.md goes in, PDFs that look like an office's come out."""
