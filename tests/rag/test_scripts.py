"""Questions in other scripts find, by words alone, the piece that answers them among others on neighbouring matters."""

import pytest

from rag.lexical import LexicalBuilder
from rag.tokens import references, words

PIECES = {
    "hindi": [
        "निविदा जमा करने की अंतिम तिथि 15 मार्च 2025 है।",
        "५०,००० रुपये से अधिक की ख़रीद को वित्त निदेशक मंज़ूरी देता है।",
        "देरी होने पर ठेकेदार प्रति सप्ताह एक प्रतिशत जुर्माना देता है।",
    ],
    "arabic": [
        "آخر موعد لتقديم العطاءات هو ١٥ مارس ٢٠٢٥.",
        "يوافق المدير المالي على المشتريات التي تزيد على ٥٠٬٠٠٠ دولار.",
        "يدفع المقاول غرامة التأخير بنسبة واحد في المائة عن كل أسبوع.",
    ],
    "chinese": [
        "投标文件递交截止时间为2025年3月15日。",
        "采购金额超过5万元的，由财务总监批准。",
        "逾期交货的，承包商每周支付合同价百分之一的违约金。",
    ],
    "japanese": [
        "入札書の提出期限は2025年3月15日です。",
        "50,000円を超える購入は財務部長の承認が必要です。",
        "納期に遅れた場合、受注者は週ごとに違約金を支払います。",
    ],
    "korean": [
        "입찰서 제출 마감일은 2025년 3월 15일입니다.",
        "50,000원을 초과하는 구매는 재무이사가 승인합니다.",
        "납품이 지연되면 계약자는 매주 지체상금을 지급합니다.",
    ],
    "russian": [
        "Заявки на участие в тендере принимаются до 15 марта 2025 года.",
        "Закупки на сумму свыше 50 000 рублей утверждает финансовый директор.",
        "За просрочку поставки подрядчик платит неустойку за каждую неделю.",
    ],
    "greek": [
        "Οι προσφορές υποβάλλονται έως τις 15 Μαρτίου 2025.",
        "Αγορές άνω των 50.000 ευρώ εγκρίνει ο οικονομικός διευθυντής.",
        "Για καθυστέρηση παράδοσης ο ανάδοχος καταβάλλει ποινική ρήτρα.",
    ],
    "turkish": [
        "İHALE TEKLİFLERİ 15 Mart 2025 tarihine kadar verilir.",
        "50.000 lirayı aşan alımları mali işler müdürü onaylar.",
        "YAPIM İŞLERİNDE gecikme halinde yüklenici cezayı öder.",
    ],
    "thai": [
        "กำหนดยื่นซองประกวดราคาภายในวันที่ 15 มีนาคม 2568",
        "การจัดซื้อเกิน 50,000 บาทต้องได้รับอนุมัติจากผู้อำนวยการฝ่ายการเงิน",
        "หากส่งมอบล่าช้าผู้รับจ้างต้องชำระค่าปรับรายสัปดาห์",
    ],
    "hebrew": [
        "המועד האחרון להגשת הצעות הוא 15 במרץ 2025.",
        "רכישות מעל 50,000 שקל מאשר סמנכ״ל הכספים.",
        "על איחור באספקה משלם הקבלן קנס לכל שבוע.",
    ],
}


@pytest.mark.parametrize(
    ("language", "question", "answering"),
    [
        ("hindi", "निविदा की अन्तिम तिथि क्या है?", 0),  # the nasal written otherwise
        ("hindi", "50,000 रुपये से ज़्यादा की खरीद कौन मंजूर करता है?", 1),  # without the dots below
        ("hindi", "देरी का जुर्माना कितना है?", 2),
        ("arabic", "ما هو اخر موعد لتقديم العطاءات؟", 0),  # without the sign on the alif
        ("arabic", "من يوافق على مشتريات بقيمة 50,000؟", 1),
        ("arabic", "كم تبلغ غَرَامَةُ التأخير؟", 2),  # with vowel signs
        ("chinese", "投标截止时间是什么时候？", 0),
        ("chinese", "50,000元以上的采购由谁批准？", 1),
        ("chinese", "违约金是多少？", 2),
        ("japanese", "入札の提出期限はいつですか？", 0),
        ("japanese", "５万円以上の購入は誰が承認しますか？", 1),
        ("japanese", "納期に遅れたらどうなりますか？", 2),
        ("korean", "입찰 마감일은 언제입니까?", 0),
        ("korean", "구매는 누가 승인합니까?", 1),
        ("russian", "До какого числа принимаются заявки?", 0),
        ("russian", "Кто утверждает закупку на 50 000?", 1),
        ("russian", "Какая неустойка за просрочку?", 2),
        ("greek", "ΠΟΙΟΣ ΕΓΚΡΙΝΕΙ ΑΓΟΡΕΣ;", 1),
        ("turkish", "ihale teklifleri ne zamana kadar verilir?", 0),
        ("turkish", "yapım işlerinde ceza nedir?", 2),
        ("thai", "กำหนดยื่นซองเมื่อใด", 0),
        ("thai", "ใครอนุมัติการจัดซื้อ", 1),
        ("hebrew", "מי מאשר רכישות?", 1),
    ],
)
def test_finds_the_piece_that_answers(language, question, answering):
    builder = LexicalBuilder()
    for pieces in (PIECES[language], ["Purchases above 50,000 are approved by the CFO.", "Late bids are rejected."]):
        for piece in pieces:
            builder.add(piece, language=language if pieces is PIECES[language] else "english")
    found = builder.finish().search(question, num_results=3, phrase_weight=0.2)
    assert found.rows[0] == answering


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("hindi", "क़ीमत", "कीमत"),
        ("hindi", "पाँच", "पांच"),
        ("arabic", "المُنَاقَصَةُ", "المناقصة"),
        ("arabic", "كـــتاب", "كتاب"),
        ("arabic", "٢٥٬٠٠٠", "25,000"),
        ("persian", "می\u200cشود", "میشود"),
        ("persian", "۱۲۳", "123"),
        ("hebrew", "הַמְּכִירָה", "המכירה"),
        ("turkish", "IĞDIR", "ığdır"),
        ("chinese", "5万元", "50,000元"),
        ("japanese", "1.5億円", "150,000,000円"),
        ("japanese", "ﾃﾞｰﾀ", "データ"),
    ],
)
def test_what_readers_take_for_the_same_is_the_same(language, one, other):
    assert words(one, language) == words(other, language)


def test_codes_and_amounts_are_read_between_characters_without_spaces():
    assert references("ITB-2025-06を参照") == ["itb-2025-06"]
    assert references("超过50,000元的采购") == references("金额5万元") == ["50000"]
    assert references("第14条による") == ["第14条"]
