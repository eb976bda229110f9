"""python -m samples: writes the sample pack into data/ and the multilingual notices beside their golden questions."""

from samples.pack import PROJECT, write_all

for path in write_all():
    print(f"{path.relative_to(PROJECT)}  {path.stat().st_size:,} bytes")
