import { foldName } from './fold-name.js';

/**
 * Functions in captions: offices, professions, relatives; in the languages that captions are measured in, in feminine
 * and masculine forms. Common family names (Richter, Król, Major) are omitted.
 */
const FUNCTIONS = wordsOf(`
  academic actor actress adviser advisor ambassador analyst anchor architect artist attorney author baroness
  biologist businessman businesswoman captain ceo cfo chair chairman chairperson chairwoman chancellor chef chemist chief
  climatologist coach colonel columnist comedian commander commissioner composer congressman congresswoman consultant
  coordinator correspondent councillor councilman councilwoman cto curator daughter delegate deputy designer detective
  diplomat director economist editor engineer entrepreneur environmentalist epidemiologist expert farmer father
  firefighter founder governor guitarist head historian host husband inspector investigator journalist lawmaker lawyer leader
  lecturer lieutenant lobbyist manager mayor meteorologist midwife minister mother musician novelist nurse officer organizer
  organiser owner painter parent pastor pediatrician philosopher photographer physician physicist pianist pilot player
  playwright poet policeman policewoman politician premier presenter president principal producer professor prosecutor
  psychiatrist psychologist publisher rector reporter representative resident researcher scientist secretary senator sergeant
  sheriff singer sociologist spokesman spokesperson spokeswoman specialist strategist student surgeon survivor teacher
  technician trainer translator treasurer undersecretary veterinarian victim violinist virologist volunteer widow widower
  witness writer

  abgeordnete abgeordneter anwalt anwältin anwohner anwohnerin apotheker apothekerin architekt architektin arzt ärztin
  augenzeuge augenzeugin autor autorin bäuerin beamter beamtin beauftragte beauftragter berater beraterin besitzer besitzerin
  bischöfin botschafter botschafterin bruder chefarzt chefärztin chefin dekan dekanin dirigent dirigentin
  dozent dozentin ehefrau ehemann einsatzleiter einwohner experte expertin feuerwehrmann forscher forscherin fotograf
  fotografin generalsekretär generalsekretärin gewerkschafter gewerkschafterin gründer gründerin hebamme historiker
  historikerin ingenieur ingenieurin inhaber inhaberin intendant intendantin journalist journalistin jurist juristin kanzler
  kanzlerin komponist komponistin kommissar kommissarin korrespondent korrespondentin künstler künstlerin landrätin landwirt
  landwirtin lehrer lehrerin leiter leiterin ministerin minister moderator moderatorin mitarbeiter mitarbeiterin mutter
  oberst ökonom ökonomin pfarrer pfarrerin pilotin physiker physikerin pianistin polizist polizistin politiker politikerin
  politologe politologin präsident präsidentin projektleiter projektleiterin psychologe psychologin redakteur redakteurin
  regisseur regisseurin rektor rektorin richterin sänger sängerin sachverständige sachverständiger schauspieler
  schauspielerin schriftsteller schriftstellerin schülerin schwester sekretär sekretärin senatorin soldat soldatin sohn
  soziologe soziologin sprecher sprecherin staatsanwalt staatsanwältin staatssekretär staatssekretärin stadträtin student
  studentin tierarzt tierärztin tochter trainerin unternehmer unternehmerin vater verfasser verfasserin virologe virologin
  vorsitzende vorsitzender vorstand wissenschaftler wissenschaftlerin witwe witwer zeuge zeugin

  acteur actrice adjoint adjointe agricultrice agriculteur ambassadeur ambassadrice analyste animateur animatrice artiste
  auteur autrice avocate avocat biologiste cadre chancelier chancelière chanteur chanteuse chercheur chercheuse chirurgien
  chirurgienne climatologue comédien comédienne commissaire compositeur compositrice conseiller conseillère
  coordinateur coordinatrice correspondante correspondant danseur danseuse député députée directeur directrice doyen
  doyenne écrivain écrivaine économiste éditeur éditrice élève enseignant enseignante entraîneur entraîneuse épouse époux
  étudiant étudiante fille fils fondateur fondatrice frère gérant gérante gouverneure gouverneur historien historienne
  infirmier infirmière ingénieure ingénieur journaliste juriste maire maîtresse maître médecin mère ministre
  musicien musicienne peintre père philosophe photographe physicien physicienne policier policière politologue porte-parole
  poète poétesse préfet préfète présentateur présentatrice président présidente procureure procureur producteur productrice
  professeure proviseur proviseure psychiatre psychologue rapporteur rapporteuse réalisateur réalisatrice rédacteur
  rédactrice responsable romancier romancière sénateur sénatrice secrétaire sociologue sœur syndicaliste témoin vétérinaire
  veuf veuve virologue voisin voisine

  abogada abogado actriz agricultor agricultora alcalde alcaldesa analista arquitecta arquitecto asesor asesora autora
  bombero campeona cantante catedrática catedrático científica científico comisaria comisario compositor compositora concejal
  concejala consejera consejero consejal corresponsal decana decano delegada delegado dependienta diputada diputado directora
  diseñadora diseñador economista editora embajador embajadora empresaria empresario enfermera enfermero entrenador
  entrenadora escritor escritora esposa esposo experta experto fiscal física físico fotógrafa fotógrafo fundador fundadora
  gobernador gobernadora hermana hermano hija hijo historiador historiadora ingeniera ingeniero investigador investigadora
  jueza jefa jefe maestra maestro médica médico ministra ministro música músico novelista padre madre periodista
  pintora poeta policía política político portavoz presentador presentadora presidenta presidente primer profesora profesor
  psicóloga psicólogo rectora responsable secretaria secretario senador senadora sindicalista socióloga sociólogo testigo
  vecina vecino vicepresidenta vicepresidente viuda viudo vocal

  adwokat adwokatka aktor aktorka ambasador ambasadorka autorka burmistrz burmistrzyni dyrektor dyrektorka dziekan
  dziennikarka dziennikarz ekonomista ekonomistka ekspert ekspertka fotografka fotoreporter historyczka historyk
  inżynier inżynierka kierownik kierowniczka kompozytor kompozytorka lekarka lekarz malarka malarz marszałek mecenas
  ministra mieszkanka mieszkaniec muzyk nauczyciel nauczycielka noblista noblistka pielęgniarka pielęgniarz pisarka pisarz
  piosenkarka piosenkarz poetka politolog polityk poseł posłanka premier premierka prezes prezeska prezydent prezydentka
  prezenterka prezenter prokurator psycholog redaktor redaktorka reżyser reżyserka rolniczka rolnik rzeczniczka rzecznik
  sędzia sekretarz senatorka siostra socjolog solista solistka sołtys starosta starościna strażak syn córka trener trenerka
  uczennica wdowa wdowiec wicepremier wiceminister wiceprezes wiceprezydent właściciel właścicielka wojewoda wójt zastępca
  żołnierz żona mąż

  advokátka advokát analytička analytik architektka autorka biskup dcera děkan děkanka ekonom ekonomka expertka
  fotografka generální hasič herec herečka hejtman hejtmanka historička historik houslista houslistka inženýr inženýrka
  lékař lékařka lingvista malíř malířka manžel manželka místopředseda místopředsedkyně mluvčí náměstek náměstkyně
  novinář novinářka obyvatel obyvatelka odborník odbornice poslanec poslankyně politička politik právnička právník
  prezidentka prezident primátor primátorka primář primářka předseda předsedkyně překladatel překladatelka ředitel ředitelka
  redaktor redaktorka režisér režisérka senátor senátorka skladatel skladatelka sociolog socioložka soudce soudkyně
  spisovatel spisovatelka starosta starostka státní student studentka svědek svědkyně syn trenér trenérka tajemník
  tajemnice učitel učitelka vdova vědec vědkyně velvyslanec velvyslankyně virolog viroložka vrchní zakladatel zakladatelka
  zdravotní zpěvačka zpěvák žák žákyně

  administrador administradora advogada advogado agricultora arquiteta arquiteto ator atriz bombeiro cantor cantora
  cientista coordenador coordenadora comentador comentadora deputada deputado desembargador desembargadora diretor
  diretora embaixador embaixadora empresária empresário encenador encenadora enfermeira enfermeiro engenheira engenheiro
  escritora especialista estudante filha filho fundadora governador governadora historiadora investigadora jornalista juíza
  juiz líder médica médico mãe pai mestre ministra músico pesquisador pesquisadora poeta porta-voz prefeita prefeito
  presidenta procurador procuradora professora psicóloga psicólogo realizador realizadora reitor reitora secretária
  secretário senadora socióloga sociólogo testemunha treinador treinadora vereador vereadora viúva viúvo

  advokat aktivist ambassadör arkitekt artist barnmorska borgmästare bonde brandman chefredaktör dotter docent
  ekonom expert fader far fiskare forskare fotograf författare förläggare försvarsminister förbundskapten generaldirektör
  generalsekreterare grundare hustru ingenjör jurist kommunalråd kommunikatör kompositör konstnär krönikör landshövding
  ledare lektor läkare lärare meteorolog minister moderator mor musiker narkosläkare nationalekonom ombudsman ordförande
  partiledare polischef polis politiker präst professor programledare projektledare psykolog redaktör regissör rektor
  riksdagsledamot sakkunnig sekreterare sjuksköterska skådespelare språkrör statsminister statssekreterare statsråd
  sångare sångerska talesman talesperson tandläkare tränare utrikesminister utrikeskorrespondent vd verkställande veterinär
  vittne överläkare överste åklagare

  akademisyen aktör aktris araştırmacı avukat bakan başbakan başhekim başkan başkanı başkomiser başsavcı bakanı belediye
  büyükelçi büyükelçisi cumhurbaşkanı danışman danışmanı dekan dekanı doktor doktoru editör editörü ekonomist ekonomisti
  eczacı ebe emekli eşi futbolcu gazeteci genel hakem hakim hemşire hemşiresi iktisatçı kaptan kaptanı kaymakam kaymakamı
  komiseri komutan komutanı koordinatör koordinatörü kurucu kurucusu milletvekili mimar muhabir muhabiri muhtar muhtarı
  mühendis mühendisi müdür müdürü müsteşar oyuncu oyuncusu öğrenci öğrencisi öğretmen öğretmeni öğretim profesör psikolog
  rektör rektörü ressam sanatçı sanatçısı savcı savcısı sekreter sekreteri senarist spiker şarkıcı şarkıcısı sözcü sözcüsü
  sunucu sunucusu teknik temsilci temsilcisi uzman uzmanı üye üyesi vali valisi vekili veteriner yardımcısı yazar yazarı
  yönetici yöneticisi yönetmen yönetmeni
`);

/** Endings of German, Swedish and Dutch functions, and beginnings of Slavic and Romance ones. */
const COMPOUND =
  /.{3}(?:minister|meister|prasident|direktor|leiter|fuhrer|sprecher|kanzler|vorsitzende|beauftragte|trainer|arzt|anwalt|sekretar|redakteur|kommissar|reporter|korrespondent|mastare|ledare|radgivare|forskare|lakare)(?:in|n|r)?$|^(?:vice|wice|mini)(?:minist|preside|direct|dyrekt)|^(?:ex|alt)-/;

/** Turkish functions that belong to the words before them: Deniz Kuvvetleri Komutanı. */
const OF_WHAT_STANDS_BEFORE = wordsOf(`
  başkanı bakanı başhekimi büyükelçisi danışmanı dekanı doktoru editörü hemşiresi kaptanı kaymakamı komiseri komutanı
  koordinatörü kurucusu milletvekili muhabiri muhtarı mühendisi müdürü oyuncusu öğrencisi öğretmeni rektörü savcısı sekreteri
  sözcüsü sunucusu temsilcisi uzmanı üyesi valisi vekili yardımcısı yazarı yöneticisi yönetmeni
`);

/** Words at the end of an institution's name. */
const INSTITUTIONS = wordsOf(`
  academy association  beach bridge center centre chapel  city college commission committee company corporation
  council county court department district foundation fund group heights high hills hospital institute insurance international
  investments island islands laboratory league library memorial museum  office orchestra palace  partners party
  police  press radio records  road school society station street studio studios television theater theatre times
  trust tv union united university valley
  akademie allee anstalt archiv bahnhof brücke bund  dienst  fernsehen firma flughafen gesellschaft gericht
  gymnasium hochschule institut kirche klinik klinikum kolleg konzern krankenhaus museum orchester partei  polizei
  presse rathaus rundfunk schloss schule sender stadion stiftung straße theater universität verband verein verlag werke
  zeitung zentrum
  banque église fondation hôpital institut lycée mairie musée société théâtre université usine
  colegio escuela fundación hospital iglesia instituto museo teatro universidad
  bank fundacja instytut kościół muzeum szkoła szpital teatr uniwersytet wydawnictwo
  banka divadlo fakulta gymnázium muzeum nakladatelství nadace nemocnice soud škola univerzita ústav
  escola faculdade fundação igreja museu universidade
  bolag bolaget förlag högskola kyrka lasarett partiet sjukhus skola skolan stiftelsen teatern universitet
  bakanlığı belediyesi camii derneği enstitüsü gazetesi hastanesi lisesi müzesi okulu partisi üniversitesi vakfı
  kuvvetleri
`);

/** In Polish and Czech, in any grammatical case. */
const INSTITUTION_STEM =
  /^(?:uniwersyt|univerzit|szpital|nemocnic|teatr|divadl|muze|instytut|fundacj|nadac|szkol|fakult|ministerst|wydawnict)/;

/** Labels that stations put over headlines: Breaking News, Mimořádné zprávy. */
const KICKERS = wordsOf(`
  breaking exclusive headlines live news sports today tonight update weather
  eilmeldung extra heute liveticker nachrichten sondersendung wetter
  actualités alerte direct exclusif infos météo
  directo exclusiva noticias tiempo última urgente
  pilne wiadomości żywo
  mimořádná mimořádné počasí zprávy živě
  notícias últimas vivo
  direktsänt nyheter senaste väder
  canlı haber haberler
`);

/** Places named after saints: São João, Saint-Étienne, Sankt Augustin. */
const SAINTS = wordsOf('san santa santo sant são saint sainte sankt st sint svatý svatá święty święta');

/** Tests whether a word is a function, in lower case or capitalised. */
export function isFunction(word: string): boolean {
  const folded = bare(word);
  // Reporterin is covered by Reporter.
  const isListed = (part: string): boolean => FUNCTIONS.has(part) || FUNCTIONS.has(part.replace(/in$/u, ''));
  return isListed(folded) || COMPOUND.test(folded) || partsOf(folded).some(isListed);
}

/** Tests whether the words before this function are its place, and no name. */
export function belongsToBefore(word: string): boolean {
  return OF_WHAT_STANDS_BEFORE.has(bare(word));
}

export function isInstitution(word: string): boolean {
  const last = partsOf(bare(word)).at(-1);
  return last !== undefined && (INSTITUTIONS.has(last) || INSTITUTION_STEM.test(last));
}

/** Tests for Polish and Czech adjectives in the genitive, which are no names by themselves. */
export function isGenitive(word: string): boolean {
  return /(?:[sc]kiej|[sc]kiego|owego|ého|ých)$/u.test(word.toLowerCase());
}

/** Tests whether a word marks news, so that its line is nobody's name. */
export function isKicker(word: string): boolean {
  return KICKERS.has(bare(word));
}

/** Tests whether a name that begins with this word is named after a saint; Saint-Denis shows it by itself. */
export function isSaint(word: string): boolean {
  const [first] = partsOf(bare(word));
  return first !== undefined && SAINTS.has(first);
}

function bare(word: string): string {
  return foldName(word).replace(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, '');
}

function partsOf(folded: string): string[] {
  return folded.split(/[-/]/u);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/u).filter(Boolean).map(foldName));
}
