"""Sentences in twelve languages and questions that put their words in other forms: each sentence is found first among all."""

import pytest

from rag.lexical import LexicalBuilder

SENTENCES = {
    "german": [
        ("Die Angebotsfrist endet am 12. März um 10 Uhr.", "Wann enden die Angebotsfristen?"),
        (
            "Der Auftragnehmer haftet für verspätete Lieferungen mit einer Vertragsstrafe.",
            "Welche Vertragsstrafen gelten bei verspäteter Lieferung?",
        ),
        ("Rechnungen werden innerhalb von dreißig Tagen bezahlt.", "Wie schnell wird eine Rechnung bezahlt?"),
    ],
    "french": [
        ("Le délai de remise des offres expire le 12 mars.", "Quand expirent les délais de remise des offres ?"),
        ("Les pénalités de retard s'élèvent à deux pour cent.", "À combien s'élève la pénalité de retard ?"),
        ("Le titulaire présente une garantie bancaire.", "Quelles garanties bancaires le titulaire doit-il présenter ?"),
    ],
    "spanish": [
        ("El plazo de presentación de ofertas termina el 12 de marzo.", "¿Cuándo terminan los plazos de presentación?"),
        ("El contratista deberá constituir una garantía definitiva.", "¿Qué garantías constituyen los contratistas?"),
        ("Las facturas se pagarán en treinta días.", "¿Cuándo se paga la factura?"),
    ],
    "portuguese": [
        ("O prazo de entrega das propostas termina em 12 de março.", "Quando terminam os prazos das propostas?"),
        ("A multa por atraso é de dois por cento.", "Quais são as multas por atraso?"),
        ("O fornecedor apresenta certidões negativas.", "Que certidão o fornecedor apresenta?"),
    ],
    "italian": [
        ("Il termine di presentazione delle offerte scade il 12 marzo.", "Quando scadono i termini per l'offerta?"),
        ("L'aggiudicatario versa una cauzione definitiva.", "Quale cauzione versano gli aggiudicatari?"),
        ("La penale per il ritardo è dell'uno per mille.", "Quali penali ci sono per i ritardi?"),
    ],
    "hindi": [
        ("निविदा जमा करने की अंतिम तिथि 12 मार्च है।", "निविदाओं की अंतिम तिथि क्या है?"),
        ("आपूर्तिकर्ता को बैंक गारंटी देनी होगी।", "आपूर्तिकर्ताओं को कौन सी गारंटी देनी है?"),
        ("भुगतान तीस दिनों के भीतर किया जाएगा।", "भुगतान कितने दिन में होगा?"),
    ],
    "arabic": [
        ("ينتهي موعد تقديم العطاءات في 12 مارس.", "متى موعد تقديم العطاء؟"),
        ("يلتزم المقاول بتقديم ضمان بنكي.", "ما الضمانات البنكية على المقاولين؟"),
        ("تدفع الفواتير خلال ثلاثين يوما.", "متى تدفع الفاتورة؟"),
    ],
    "chinese": [
        ("投标截止时间为3月12日上午十点。", "什么时候截止投标？"),
        ("供应商应提交银行保函。", "供应商需要银行保函吗？"),
        ("发票在三十天内付款。", "发票多久付款？"),
    ],
    "turkish": [
        ("Tekliflerin son teslim tarihi 12 Mart'tır.", "Teklif teslim tarihi ne zaman?"),
        ("Yüklenici kesin teminat vermek zorundadır.", "Yüklenicilerin teminatı nedir?"),
        ("Faturalar otuz gün içinde ödenir.", "Fatura kaç günde ödenir?"),
    ],
    "indonesian": [
        ("Batas akhir pemasukan penawaran adalah 12 Maret.", "Kapan penawaran dimasukkan?"),
        ("Penyedia wajib menyerahkan jaminan pelaksanaan.", "Jaminan apa yang diserahkan penyedia?"),
        ("Pembayaran dilakukan dalam tiga puluh hari.", "Kapan tagihan dibayarkan?"),
    ],
    "vietnamese": [
        ("Thời hạn nộp hồ sơ dự thầu là ngày 12 tháng 3.", "Hạn nộp hồ sơ dự thầu là khi nào?"),
        ("Nhà thầu phải nộp bảo lãnh thực hiện hợp đồng.", "Nhà thầu nộp bảo lãnh gì?"),
        ("Hóa đơn được thanh toán trong ba mươi ngày.", "Khi nào thanh toán hóa đơn?"),
    ],
    "russian": [
        ("Срок подачи заявок истекает 12 марта.", "Когда истекают сроки подачи заявки?"),
        ("Поставщик представляет банковскую гарантию.", "Какие банковские гарантии представляют поставщики?"),
        ("Счета оплачиваются в течение тридцати дней.", "Как быстро оплачивается счёт?"),
    ],
}


@pytest.fixture(scope="module")
def index():
    builder = LexicalBuilder()
    for language, pairs in SENTENCES.items():
        for sentence, _ in pairs:
            builder.add(sentence, language=language)
    return builder.finish()


@pytest.mark.parametrize("language", SENTENCES)
def test_a_question_finds_its_sentence_in_its_language(index, language):
    sentences = [sentence for pairs in SENTENCES.values() for sentence, _ in pairs]
    found = {question: sentences[index.search(question, num_results=1).rows[0]] for _, question in SENTENCES[language]}
    assert found == {question: sentence for sentence, question in SENTENCES[language]}
