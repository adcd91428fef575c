/// The words that indicate codes, and those that indicate other numbers, in the most common languages of
/// phones. They are compared without case and accents.
///
/// A star matches letters before or after the word: compounds, endings, and the articles and prepositions
/// that Arabic and Hebrew attach to a word.
enum CodeWords {
    /// A word or a phrase.
    struct Word: Sendable {
        var meaning: CodeHint.Meaning
        var scalars: [Unicode.Scalar]
        var isOpenBefore: Bool
        var isOpenAfter: Bool

        init(_ text: String, _ meaning: CodeHint.Meaning) {
            self.meaning = meaning
            isOpenBefore = text.hasPrefix("*")
            isOpenAfter = text.hasSuffix("*")
            scalars = text.unicodeScalars.filter { $0 != "*" }.map(\.foldedForCodes)
        }
    }

    /// The words by their first character.
    static let byFirst: [Unicode.Scalar: [Word]] = {
        let lists: [(CodeHint.Meaning, [[String]])] = [
            (.strong, strong), (.weak, weak), (.other, other), (.unit, units),
            (.currency, currencies), (.promotion, promotions),
        ]
        var words: [Unicode.Scalar: [Word]] = [:]
        for (meaning, list) in lists {
            for text in list.joined() {
                let word = Word(text, meaning)
                if let first = word.scalars.first { words[first, default: []].append(word) }
            }
        }
        return words
    }()

    /// Words that can be between a hint and its code.
    static let connections: Set<String> = [
        "is", "are", "ist", "lautet", "est", "es", "e", "jest", "ar", "er", "on", "no",
        "your", "ihr", "votre", "tu", "su", "din", "dit", "uw", "je", "は", "是", "为", "為",
        "는", "은", "هو", "هي", "הוא", "هو:", "это", "code", "nr", "use",
    ]

    // MARK: Codes

    private static let strong: [[String]] = [
        [  // English
            "verification code*", "verification pin", "security code*", "confirmation code*",
            "authentication code*", "authorization code*", "authorisation code*", "login code*",
            "log-in code*", "sign-in code*", "signin code*", "sign in code*", "access code*",
            "activation code*", "one-time code*", "one time code*", "one-time password*",
            "one time password*", "one-time passcode*", "one time passcode*", "one-time pin*",
            "single-use code*", "temporary code*", "verify code", "passcode*", "otp", "otp code",
            "2fa", "2fa code", "two-factor code", "two factor code", "guard code", "reset code*",
            "registration code*", "validation code*", "device code", "recovery code", "secure code",
            "safety code", "identification code", "transaction code", "secret code",
            "sms code", "text code", "pairing code", "to verify", "verification number",
        ],
        [  // German
            "bestätigungscode*", "bestätigungs-code", "sicherheitscode*", "verifizierungscode*",
            "anmeldecode*", "login-code*", "logincode*", "zugangscode*", "einmalcode*",
            "einmal-code*", "einmalkennwort*", "einmalpasswort*", "freischaltcode*",
            "aktivierungscode*", "registrierungscode*", "prüfcode*", "mtan", "sms-tan", "smstan",
            "tan", "authentifizierungscode*", "verifikationscode*", "einmal-pin",
        ],
        [  // French
            "code de vérification", "code de sécurité", "code de confirmation", "code d'accès",
            "code d’accès", "code de connexion", "code d'activation", "code d’activation",
            "code d'authentification", "code d’authentification", "code de validation",
            "code à usage unique", "code temporaire", "mot de passe à usage unique", "code unique",
            "code secret", "code d'identification", "code d’identification", "code sms",
        ],
        [  // Spanish
            "código de verificación", "código de seguridad", "código de confirmación",
            "código de acceso", "código de activación", "código de autenticación",
            "código de inicio de sesión", "código de un solo uso", "clave de un solo uso",
            "contraseña de un solo uso", "código único", "código temporal", "clave dinámica",
            "clave temporal", "código de autorización", "código de validación", "código otp",
            "código de registro", "clave de acceso", "clave de seguridad", "clave sms",
        ],
        [  // Italian
            "codice di verifica", "codice di sicurezza", "codice di conferma", "codice di accesso",
            "codice d'accesso", "codice di attivazione", "codice otp", "codice monouso",
            "password monouso", "codice temporaneo", "codice di autenticazione", "codice sms",
            "codice di autorizzazione", "codice usa e getta",
        ],
        [  // Portuguese
            "código de verificação", "código de segurança", "código de confirmação",
            "código de acesso", "código de ativação", "código de autenticação",
            "senha de uso único",
            "código de uso único", "código de login", "código de autorização", "senha temporária",
            "código de validação", "token de acesso", "código temporário",
        ],
        [  // Dutch
            "verificatiecode*", "beveiligingscode*", "bevestigingscode*", "inlogcode*",
            "toegangscode*", "activeringscode*", "activatiecode*", "eenmalige code",
            "eenmalig wachtwoord", "sms-code*", "controlecode*", "eenmalige toegangscode",
        ],
        [  // Polish
            "kod weryfikacyjny", "kodu weryfikacyjnego", "kod bezpieczeństwa", "kod potwierdzający",
            "kod autoryzacyjny", "kod aktywacyjny", "kod jednorazowy", "jednorazowy kod",
            "hasło jednorazowe", "jednorazowe hasło", "kod logowania", "kod dostępu", "kod sms",
            "kod do logowania", "smskod",
        ],
        [  // Swedish, Danish, Norwegian, Finnish
            "verifieringskod*", "säkerhetskod*", "engångskod*", "inloggningskod*",
            "bekräftelsekod*", "engångslösenord*", "aktiveringskod*", "bekræftelseskode*",
            "sikkerhedskode*", "engangskode*", "verifikationskode*", "bekræftigelseskode*",
            "loginkode*", "engangsadgangskode*", "aktiveringskode*", "sms-kode*", "sms-kod*",
            "bekreftelseskode*", "sikkerhetskode*", "verifiseringskode*", "innloggingskode*",
            "vahvistuskoodi*", "turvakoodi*", "kertakäyttökoodi*", "godkendelseskode*",
        ],
        [  // Turkish
            "doğrulama kod*", "güvenlik kod*", "onay kod*", "giriş kod*", "aktivasyon kod*",
            "tek kullanımlık şifre*", "tek kullanımlık kod*", "tek kullanımlık parola*",
            "sms şifre*",
            "doğrulama şifre*", "onay şifre*",
        ],
        [  // Russian, Ukrainian
            "код подтверждения", "код для подтверждения", "код проверки", "код доступа",
            "код безопасности", "проверочный код", "код для входа", "код входа", "код активации",
            "одноразовый код", "одноразовый пароль", "код авторизации", "смс-код", "sms-код",
            "код верификации", "код підтвердження", "одноразовий код", "кодом подтверждения",
        ],
        [  // Chinese
            "验证码", "校验码", "动态码", "动态密码", "确认码", "安全码", "登录码", "激活码", "驗證碼",
            "校驗碼", "動態密碼", "確認碼", "安全碼", "一次性密码", "一次性密碼", "短信密码", "随机码",
            "認證碼", "授权码", "授權碼", "驗證代碼", "验证代码",
        ],
        [  // Japanese
            "認証コード", "確認コード", "認証番号", "確認番号", "セキュリティコード", "セキュリティーコード",
            "ログインコード", "ワンタイムパスワード", "ワンタイムコード", "パスコード", "検証コード",
            "アクセスコード", "本人確認コード", "承認コード", "認証キー", "暗証コード",
        ],
        [  // Korean
            "인증번호", "인증 번호", "인증코드", "인증 코드", "보안코드", "보안 코드", "확인코드",
            "확인 코드", "로그인 코드", "일회용 비밀번호", "일회용 코드", "승인번호 입력", "확인번호",
            "본인확인번호", "보안번호",
        ],
        [  // Arabic
            "رمز التحقق", "رمز التأكيد", "رمز الأمان", "رمز الدخول", "رمز التفعيل", "رمز المرور",
            "كود التحقق", "كود التفعيل", "كلمة مرور لمرة واحدة", "كلمة المرور لمرة واحدة",
            "رمز لمرة واحدة", "رمز التحقق الخاص بك", "رمز تسجيل الدخول", "رمز المصادقة",
            "كود الدخول",
            "رمز تحقق", "رمز تأكيد", "كود تأكيد", "كود التأكيد",
        ],
        [  // Hebrew
            "קוד אימות", "*קוד האימות", "קוד אבטחה", "*קוד האבטחה", "קוד כניסה", "*קוד הכניסה",
            "קוד חד פעמי", "קוד חד-פעמי", "סיסמה חד פעמית", "סיסמה חד-פעמית", "קוד אישור",
            "*קוד האישור", "קוד הפעלה", "קוד גישה", "קוד זיהוי", "קוד הזיהוי",
        ],
        [  // Hindi, Indonesian, Vietnamese, Czech, Greek, Hungarian, Romanian, Thai
            "सत्यापन कोड", "ओटीपी", "kode verifikasi", "kode otp", "kode keamanan", "mã xác minh",
            "mã xác nhận", "mã xác thực", "mã otp", "ověřovací kód", "bezpečnostní kód",
            "potvrzovací kód", "jednorázový kód", "κωδικός επαλήθευσης", "κωδικό επαλήθευσης",
            "megerősítő kód", "ellenőrző kód", "biztonsági kód", "cod de verificare",
            "codul de verificare", "cod de securitate", "รหัสยืนยัน", "รหัส otp", "รหัสผ่านครั้งเดียว",
        ],
    ]

    private static let weak: [[String]] = [
        [
            "*code", "*codes", "pin", "password", "passwort", "kennwort", "token", "to log in",
            "to sign in",
        ],
        ["zum anmelden", "zur anmeldung", "pour vous connecter", "mot de passe", "wachtwoord"],
        ["código", "codigo", "clave", "contraseña", "codice", "senha", "token", "palavra-passe"],
        ["kod", "kodu", "kodem", "kodunuz*", "kodun*", "*koden", "*kode", "*kod", "koodi*", "kód"],
        [
            "hasło", "şifre*", "parola*", "adgangskode", "lösenord", "пароль", "код", "кода",
            "кодом",
        ],
        ["コード", "パスワード", "代码", "代碼", "密码", "密碼", "口令", "코드", "비밀번호", "暗証番号"],
        ["*كود", "*رمز*", "*كودك", "*رمزك", "*קוד", "*הקוד", "*סיסמה", "*סיסמא", "रหัส", "รหัส"],
    ]

    // MARK: Other numbers

    private static let other: [[String]] = [
        [  // Codes that are not one-time codes
            "zip code*", "zipcode*", "postcode*", "postal code*", "area code*", "country code*",
            "pin code of", "pincode*", "error code*", "code error", "status code*", "dress code",
            "qr code*", "qr-code*", "qrcode*", "bar code*", "barcode*", "source code",
            "code review",
            "code of", "sort code*", "swift code*", "bic code", "code red", "code base", "codebase",
            "exit code*", "unicode", "decode", "encode", "geocode", "tax code", "product code*",
            "building code", "vs code", "colour code", "color code", "code freeze", "code name",
            "fehlercode*", "strichcode*", "quellcode*", "farbcode*", "produktcode*", "error-code",
            "code postal", "code barre*", "code erreur", "code d'erreur", "code d’erreur",
            "code produit", "code article", "code client", "code source", "code de la route",
            "código postal", "código de barras", "código de error", "código de producto",
            "código fuente", "código de erro", "codice postale", "codice fiscale", "codice cliente",
            "codice errore", "codice di errore", "codice prodotto", "codice a barre",
            "codice ordine",
            "codice iban", "kod pocztowy", "kodu pocztowego", "kod kreskowy", "kod błędu",
            "streckkod*", "stregkode*", "felkod*", "fejlkode*", "postkod*", "feilkode*",
            "posta kodu", "alan kodu", "hata kodu", "barkod*", "karekod*", "почтовый код",
            "код ошибки", "код города", "код товара", "штрих-код*", "штрихкод*", "邮编", "邮政编码",
            "郵便番号", "エラーコード", "商品コード", "qrコード", "バーコード", "错误码", "错误代码",
            "股票代码", "股票代碼", "二维码", "우편번호", "오류 코드", "에러 코드", "오류코드", "상품코드",
            "종목코드", "الرمز البريدي", "رمز الخطأ", "رمز المنتج", "מיקוד", "קוד שגיאה", "קוד מוצר",
            "証券コード", "銘柄コード", "支店コード", "代码为", "postleitzahl", "plz", "cep", "cap",
        ],
        [  // Orders, parcels, invoices, references
            "order", "order number", "order no", "tracking", "tracking number", "tracking code",
            "shipment", "parcel", "invoice", "receipt", "booking", "reservation", "reference",
            "ref",
            "ticket", "case", "flight", "customer number", "member number", "account", "policy",
            "a/c", "acct", "card ending", "ending in", "ending with", "ending", "card", "batch",
            "serial number", "model", "version", "build", "room", "gate", "seat", "pnr", "id",
            "bestellung*", "bestellnummer*", "bestell-nr", "auftrag*", "sendung*", "paket*",
            "sendungsnummer*", "rechnung*", "rechnungsnummer*", "kundennummer*", "vorgang*",
            "aktenzeichen", "buchung*", "konto*", "kontonummer*", "endet auf", "endend auf",
            "endziffern", "vertrag*", "referenz*", "zug", "flug", "karte",
            "commande", "numéro de commande", "colis", "suivi", "facture", "référence", "réf",
            "dossier", "réservation", "compte", "se terminant par", "carte", "contrat", "vol",
            "train",
            "pedido", "número de pedido", "envío", "seguimiento", "factura", "referencia",
            "reserva",
            "cuenta", "terminada en", "terminación", "tarjeta", "expediente", "vuelo", "guía",
            "ordine", "spedizione", "fattura", "riferimento", "prenotazione", "conto", "carta",
            "che termina con", "pratica", "volo", "pacco",
            "encomenda", "fatura", "referência", "rastreio", "rastreamento", "conta", "cartão",
            "final", "protocolo", "voo", "boleto", "nota fiscal",
            "bestelling", "bestelnummer", "zending", "pakket", "factuur*", "referentie", "kenmerk",
            "rekening", "eindigend op", "klantnummer", "boeking", "track en trace", "zaaknummer",
            "zamówieni*", "przesyłk*", "paczk*", "faktur*", "numer referencyjny", "konta", "karty",
            "rezerwacj*", "zgłoszeni*", "nr zam", "listu przewozowego",
            "beställning*", "ordernummer*", "försändelse*", "kollinummer", "konto", "bokning*",
            "kundnummer*", "ärende*", "kort", "ordrenummer*", "bestilling*", "forsendelse*",
            "pakke*",
            "kundenummer*", "sagsnummer*", "faktura*", "kolli", "ordre",
            "sipariş*", "kargo*", "takip no", "gönderi*", "referans*", "hesap*", "kart*",
            "rezervasyon*",
            "müşteri no", "abone no", "talep*", "uçuş*",
            "заказ*", "посылк*", "трек*", "отправлени*", "накладн*", "счет*", "бронирован*",
            "карт*",
            "договор*", "обращени*", "заявк*", "рейс*", "квитанци*",
            "订单", "订单号", "訂單", "单号", "單號", "快递", "运单", "包裹", "发票", "尾号", "尾號", "账号",
            "帳號", "账户", "编号", "編號", "航班", "会员号", "流水号", "工单",
            "注文", "注文番号", "伝票番号", "追跡番号", "お問い合わせ番号", "送り状番号", "予約番号", "会員番号",
            "口座", "請求書", "受付番号", "便名", "お客様番号", "管理番号", "下4桁",
            "주문", "주문번호", "운송장", "운송장번호", "송장번호", "예약번호", "고객번호", "회원번호",
            "계좌", "접수번호", "영수증", "카드", "승인번호", "항공편",
            "*طلب*", "*شحنة*", "*شحنتك", "*فاتورة*", "*حجز*", "*حساب*", "*بطاقة*", "*المنتهية*",
            "رقم التتبع", "رقم المرجع", "*مرجع*", "*رحلة*",
            "*הזמנה*", "*הזמנתך", "*משלוח*", "*חשבונית*", "*אסמכתא*", "*חשבון*", "*כרטיס*",
            "*טיסה*",
            "מספר לקוח", "*חבילה*", "*פנייה*", "*המסתיים*",
        ],
        [  // Phones
            "call", "call us", "calls", "phone", "tel", "telephone", "hotline", "mobile", "fax",
            "dial",
            "text stop", "reply", "sms to", "whatsapp", "helpline", "support line", "extension",
            "ext",
            "anrufen", "telefon*", "rufnummer*", "handynummer*", "durchwahl", "unter",
            "appelez", "appeler", "téléphone", "tél", "composez", "le numéro", "au numéro",
            "llame*", "teléfono", "llamar", "marque", "chiam*", "telefono", "ligue", "telefone",
            "bel ons", "bel", "telefoonnummer", "zadzwoń", "dzwoń", "infolinia", "ring oss", "ring",
            "ringa", "arayın*", "arayınız", "çağrı merkezi", "звоните", "телефон*", "позвоните",
            "电话", "電話", "拨打", "撥打", "致电", "热线", "電話番号", "お電話", "전화", "전화번호", "고객센터",
            "*اتصل*", "*هاتف*", "*الرقم", "טלפון", "*טלפון*", "התקשר*", "חייג*",
        ],
        [  // Money and measures before their number
            "balance", "amount", "total", "price", "paid",
            "betrag",
            "saldo", "preis", "gesamt", "summe", "montant", "solde", "prix", "importe", "precio",
            "total de", "valor", "importo", "prezzo", "bedrag", "kwota", "saldo*", "kwoty",
            "belopp",
            "beløb", "tutar*", "bakiye*", "сумма", "баланс", "остаток", "金额", "余额", "金額", "残高",
            "금액", "잔액", "*مبلغ*", "*رصيد*", "*סכום*", "*יתרה*", "steps", "score", "year", "since",
            "in the year", "rate", "temperature",
        ],
    ]

    private static let units: [[String]] = [
        [
            "seconds", "second", "sec", "secs", "minutes", "minute", "mins", "hours", "hrs", "days",
            "weeks", "months", "years", "steps", "kcal", "cal", "calories", "points", "pts",
            "miles",
            "km", "m", "kg", "g", "lbs", "mb", "gb", "kb", "tb", "mbps", "people", "users", "likes",
            "followers", "views", "items", "units",
            "street", "st", "road", "ave", "avenue", "main street", "cases", "emails", "messages",
            "photos", "am", "pm", "hp", "watts", "kwh", "votes", "seats", "coins", "credits",
            "sekunden", "minuten", "stunden", "tage*", "schritte*", "punkte*", "meter", "uhr",
            "personen", "secondes", "heures", "jours", "pas", "personnes", "segundos", "minutos",
            "horas", "días", "pasos", "puntos", "personas", "secondi", "minuti", "ore", "giorni",
            "passi", "punti", "dias", "passos", "pontos", "reais", "pessoas", "seconden", "uur",
            "dagen",
            "stappen", "punten", "kroner", "kronor",
            "lira*", "adım*", "puan*", "saniye*", "dakika*", "руб*", "шаг*", "балл*",
            "секунд*",
            "минут*", "грн", "kroków", "punktów", "steg", "skridt", "poäng",
            "元", "圆", "块", "円", "원", "秒", "分钟", "分鐘", "小时", "步", "歩", "点", "ポイント", "年",
            "人", "件", "점", "걸음", "보", "년", "명", "초", "분", "ريال*", "درهم*", "جنيه*", "دينار*",
            "خطوة", "دقيقة", "ثانية", "نقطة", "שקל*", "ש\"ח", "צעדים", "נקודות", "שניות", "דקות",
            "万", "억", "만원", "千米", "公里",
        ]
    ]

    private static let currencies: [[String]] = [
        [
            "usd", "eur", "gbp", "chf", "rs", "inr", "sek", "dkk", "nok", "pln", "rub", "try", "kr",
            "tl", "zł", "euro", "euros", "dollars",
        ]
    ]

    private static let promotions: [[String]] = [
        [
            "promo*", "coupon*", "discount*", "voucher*", "% off", "gift card*", "off your",
            "free shipping",
            "sale", "gutschein*", "rabatt*", "angebot*", "réduction", "remise", "bon de", "offre",
            "descuento*", "cupón", "oferta*", "sconto", "sconti", "buono", "offerta", "desconto*",
            "cupom", "korting*", "kortingscode*", "aanbieding*", "rabat*", "zniżk*", "promocj*",
            "erbjudande*", "tilbud*", "indirim*", "kupon*", "kampanya*", "скидк*", "промокод*",
            "купон*",
            "акци*", "优惠", "折扣", "優惠", "満减", "优惠码", "优惠券", "クーポン", "割引", "セール", "쿠폰",
            "할인", "프로모션", "*خصم*", "*كوبون*", "*عرض*", "*הנחה*", "*קופון*", "*מבצע*",
            "referral code",
            "invite code", "invitation code",
        ]
    ]
}
