"""Names of countries and of the people of each, for questions of nationality."""

from __future__ import annotations

import re
from functools import cache

_TABLE = """
Afghanistan: Afghan; Albania: Albanian; Algeria: Algerian; Andorra: Andorran; Angola: Angolan
Argentina: Argentine, Argentinian, Argentinean; Armenia: Armenian; Australia: Australian; Austria: Austrian
Azerbaijan: Azerbaijani; Bahamas: Bahamian; Bahrain: Bahraini; Bangladesh: Bangladeshi; Barbados: Barbadian
Belarus: Belarusian; Belgium: Belgian; Belize: Belizean; Benin: Beninese; Bhutan: Bhutanese
Bolivia: Bolivian; Bosnia and Herzegovina, Bosnia: Bosnian; Botswana: Batswana; Brazil: Brazilian
Bulgaria: Bulgarian; Burkina Faso: Burkinabe; Burundi: Burundian; Cambodia: Cambodian
Cameroon: Cameroonian; Canada: Canadian; Chad: Chadian; Chile: Chilean; China: Chinese; Colombia: Colombian
Congo: Congolese; Costa Rica: Costa Rican; Croatia: Croatian; Cuba: Cuban; Cyprus: Cypriot
Czech Republic, Czechia: Czech; Denmark: Danish; Dominican Republic: Dominican; Ecuador: Ecuadorian
Egypt: Egyptian; El Salvador: Salvadoran; Eritrea: Eritrean; Estonia: Estonian; Ethiopia: Ethiopian
Fiji: Fijian; Finland: Finnish; France: French, Frenchman, Frenchwoman; Gabon: Gabonese
Gambia: Gambian; Germany: German; Ghana: Ghanaian; Greece: Greek; Grenada: Grenadian
Guatemala: Guatemalan; Guinea: Guinean; Guyana: Guyanese; Haiti: Haitian; Honduras: Honduran
Hungary: Hungarian; Iceland: Icelandic, Icelander; India: Indian; Indonesia: Indonesian
Iran: Iranian, Persian; Iraq: Iraqi; Ireland: Irish; Israel: Israeli; Italy: Italian
Ivory Coast: Ivorian; Jamaica: Jamaican; Japan: Japanese; Jordan: Jordanian; Kazakhstan: Kazakh
Kenya: Kenyan; Kosovo: Kosovan, Kosovar; Kuwait: Kuwaiti; Kyrgyzstan: Kyrgyz; Laos: Laotian
Latvia: Latvian; Lebanon: Lebanese; Liberia: Liberian; Libya: Libyan; Liechtenstein: Liechtensteiner
Lithuania: Lithuanian; Luxembourg: Luxembourgish; Madagascar: Malagasy; Malawi: Malawian
Malaysia: Malaysian; Maldives: Maldivian; Mali: Malian; Malta: Maltese; Mauritania: Mauritanian
Mauritius: Mauritian; Mexico: Mexican; Moldova: Moldovan; Monaco: Monegasque; Mongolia: Mongolian
Montenegro: Montenegrin; Morocco: Moroccan; Mozambique: Mozambican; Myanmar, Burma: Burmese
Namibia: Namibian; Nepal: Nepalese, Nepali; Netherlands: Dutch; New Zealand: New Zealander
Nicaragua: Nicaraguan; Niger: Nigerien; Nigeria: Nigerian; North Korea: North Korean
North Macedonia, Macedonia: Macedonian; Norway: Norwegian; Oman: Omani; Pakistan: Pakistani
Palestine: Palestinian; Panama: Panamanian; Papua New Guinea: Papuan; Paraguay: Paraguayan; Peru: Peruvian
Philippines: Filipino, Filipina, Philippine; Poland: Polish; Portugal: Portuguese; Qatar: Qatari
Romania: Romanian; Russia: Russian; Rwanda: Rwandan; Samoa: Samoan; Saudi Arabia: Saudi
Senegal: Senegalese; Serbia: Serbian; Sierra Leone: Sierra Leonean; Singapore: Singaporean
Slovakia: Slovak; Slovenia: Slovenian, Slovene; Somalia: Somali; South Africa: South African
South Korea: South Korean; Soviet Union: Soviet; Spain: Spanish, Spaniard; Sri Lanka: Sri Lankan
Sudan: Sudanese; Suriname: Surinamese; Sweden: Swedish, Swede; Switzerland: Swiss; Syria: Syrian
Taiwan: Taiwanese; Tajikistan: Tajik; Tanzania: Tanzanian; Thailand: Thai; Togo: Togolese; Tonga: Tongan
Trinidad and Tobago, Trinidad: Trinidadian; Tunisia: Tunisian; Turkey: Turkish
Turkmenistan: Turkmen; Uganda: Ugandan; Ukraine: Ukrainian; United Arab Emirates: Emirati
England: English, Englishman; Scotland: Scottish, Scotsman; Wales: Welsh
United Kingdom, UK, U.K., Great Britain, Britain: British, Briton
United States, United States of America, USA, U.S.A., US, U.S., America: American
Uruguay: Uruguayan; Uzbekistan: Uzbek; Vatican City: Vatican; Venezuela: Venezuelan
Vietnam: Vietnamese; Yemen: Yemeni; Yugoslavia: Yugoslav; Zambia: Zambian; Zimbabwe: Zimbabwean
"""

_ELSE = """
US Open, U.S. Open, French Open, Australian Open, South America, North America, Latin America, Central America
South American, North American, Latin American, Central American, New Mexico, New England, New South Wales
"""
"""Names that hold the name of a nation and are of none."""
_MORE = {"Northern Ireland": "United Kingdom", "Georgian": "Georgia"}
"""What tells of a nation beside the table; Georgia itself is a state too."""
_WITHIN = {"England": "United Kingdom", "Scotland": "United Kingdom", "Wales": "United Kingdom"}


def same_nation(one: str, other: str) -> bool | None:
    """Tell whether two texts tell of one nation; None where one is open or part of the other."""
    first, second = nations(one), nations(other)
    if first & second:
        return True
    wide, across = ({_WITHIN.get(name, name) for name in side} for side in (first, second))
    return None if not first or not second or wide & across else False


def nations(text: str) -> set[str]:
    """Return the countries that a text names, by their names or those of their people."""
    of, pattern = _known()
    return {of[match.group()] for match in pattern.finditer(text)} - {""}


@cache
def _known() -> tuple[dict[str, str], re.Pattern[str]]:
    of: dict[str, str] = {}
    for row in re.split(r"[;\n]", _TABLE.strip()):
        countries, _, people = row.partition(":")
        names = [name.strip() for name in f"{countries},{people}".split(",")]
        of |= dict.fromkeys(names, names[0])
    of |= _MORE | {name.strip(): "" for name in re.split(r"[,\n]", _ELSE.strip())}
    longest = sorted(of, key=len, reverse=True)
    return of, re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, longest))})(?!\w)")
