import pytest

from ingestion.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The buyer shall obtain three quotations and the head of the department is to approve each in writing.", "english"),
        ("Die Vergabestelle holt drei Angebote ein und die Leitung der Abteilung ist mit der Vergabe nicht befasst.", "german"),
        ("Le acheteur demande trois devis et les offres sont ouvertes dans une séance pour la commission du marché.", "french"),
        ("El comprador pide tres ofertas y las abre en una sesión para que los licitadores no se quejen del plazo.", "spanish"),
        ("Le offerte devono pervenire sulla piattaforma entro il 14 aprile. Le offerte tardive sono escluse dalla gara che non"
         " è ripetuta per la stazione.", "italian"),
        ("A Companhia torna público que realizará licitação para a aquisição de 26 bombas, com painéis de comando e serviço de"
         " instalação. As razões são apresentadas em três dias e não há recurso da decisão.", "portuguese"),
        ("项目描述负责四川省甘孜州丹巴磨子电站引水隧洞爆破方案优化设计" * 2, "chinese"),
        ("調達方針は、物品および役務の購入に適用される。承認は部長が行うものとし、記録を残さなければならない。", "japanese"),
        ("구매 담당자는 세 개의 견적을 받아야 하며 부서장은 각 견적을 서면으로 승인하여야 한다. 기록은 보관한다.", "korean"),
        ("تعتبر البرمجة من الأدوات القوية التي يمكن أن تعزز الإنتاجية", "arabic"),
        ("شرکت بورس کالای ایران نام استاندارد شمش تولید شده به روش ریخته گری پیوسته", "persian"),
        ("Закупочная комиссия рассматривает предложения поставщиков в течение десяти дней", "russian"),
        ("Замовник розглядає пропозиції постачальників і повідомляє про рішення її учасників", "ukrainian"),
        ("खरीद समिति तीन निविदाएं प्राप्त करेगी और विभाग प्रमुख प्रत्येक को लिखित रूप में अनुमोदित करेगा", "hindi"),
        ("Item 5,000", ""),
        ("Pump P-3 DN 150 PN 16, Valve V-7 DN 80 PN 10, Flange F-2 DN 150, Gasket EPDM 80, Bolt M16, Nut M16", ""),
    ],
)  # fmt: skip
def test_language(text, language):
    assert language_of(text) == language


def test_a_text_in_two_languages_has_none():
    english = "The buyer shall obtain three quotations and the head of the department is to approve each in writing. "
    german = "Die Vergabestelle holt drei Angebote ein und die Leitung der Abteilung ist mit der Vergabe nicht befasst. "
    assert language_of((english + german) * 3) == ""
