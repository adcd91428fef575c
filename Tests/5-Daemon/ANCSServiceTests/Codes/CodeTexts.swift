/// Texts as services and people write them, in our own words.
enum CodeTexts {
    /// A line: the code, a bar, the message. A title may stand before the message, with `▸` after it.
    static let withCode: [String] = lines(
        """
        123456|Your Example verification code is 123456
        482913|482913 is your Example verification code.
        482913|Use 482913 to verify your account.
        228401|Use 228401 to authorise your payment of $1,250.00
        228401|Enter 228401 to authorize the transfer.
        602913|ma GD 2841 ma OTP 602913
        602913|REF 2841 OTP 602913 EXP 5512
        602913|2841 OTP is 602913
        482913|482913 is your OTP, ref 2841
        7351|Your code is 7351
        90215|Your Example confirmation code: 90215. It expires in 10 minutes.
        48291375|Your one-time password is 48291375. Do not share it with anyone.
        123456|G-123456 is your Google verification code.
        48213|FB-48213 is your confirmation code
        482913|Your WhatsApp code: 482-913
        482913|WhatsApp code 482 913. Don't share this code with others.
        48213377|Login code: 4821-3377
        771204|Example Bank: OTP is 771204 for a payment of $25.00 to Corner Shop. Never share it.
        771204|771204 is the OTP for your payment of INR 1,499.00 at Corner Shop.
        A7K9QX|Your security code is A7K9QX
        R4KQ7|Here is the Steam Guard code: R4KQ7
        BKRTW|Your guard code: BKRTW
        AB3-9KF|Your sign-in code is AB3-9KF.
        x7k9p2|Your access code: x7k9p2
        482913|<#> Your Example code is: 482913\\nFA+9qCX9VSu
        482913|Your code for example.com is below.\\n@example.com #482913
        K4TZ19|Enter this to sign in.\\n\\n@www.example.com #K4TZ19 %frame.example
        2024|Your code is 2024
        1998|1998 is your code.
        482913|482913 is your login code. It expires at 14:30 on 2026-11-22.
        482913|Verification code 482913 for your order 99887766. Valid 5 minutes.
        482913|Your verification code for order 99887766 is 482913
        482913|Your verification code: 482913. Questions? Call 0800 123 4567.
        482913|Never give this to anyone, not even us. Security code: 482913. Amount: 1,250.00 EUR
        482913|Example verification code ▸ 482913
        482913|Your security code ▸ » 482913 «
        4821|22395 ▸ PIN: 4821
        604812|Hi Ada, enter 604812 to sign in to Example.
        055832|055832 is your passcode
        48291|Someone is signing in to your Example account. If this is you, the passcode is 48291.
        4829|Sign-in request from Vienna\\nYour one-time code\\n4829
        7351|Hi! Here's the login code you asked for: 7351
        482913|[Example] 482913 (verification code). Don't reply.
        482913|Your verification code was requested. 482913
        90215|Example: 90215 is the security code for signing in on a new device
        8043|Dein Login-Code für Beispiel lautet 8043
        8043|Voici votre code de connexion à Exemple : 8043
        8043|Tu código de inicio de sesión para Ejemplo: 8043
        8043|Kod logowania do serwisu Przykład: 8043
        80431|Код для входа на сайт Пример: 80431
        000000|Your test verification code is 000000
        482913|Ihr Bestätigungscode lautet 482913.
        482913|482913 ist Ihr Sicherheitscode für Beispiel.
        7351|Dein Code: 7351. Gib ihn niemandem weiter.
        482913|Ihre TAN für die Überweisung über 250,00 EUR lautet 482913
        482913|mTAN: 482913, Betrag 99,95 EUR an Muster GmbH
        90215|Einmalpasswort: 90215 (gültig bis 18:45 Uhr)
        482913|Verifizierungscode: 482 913
        48291|Ihr Freischaltcode ist 48291
        482913|Anmeldecode 482913 – gültig für 5 Minuten
        604812|Mit dem Code 604812 bestätigen Sie Ihre Rufnummer.
        482913|Votre code de vérification est 482913
        482913|482913 est votre code de sécurité Exemple.
        7351|Code : 7351. Ne le communiquez à personne.
        482913|Votre code d’accès : 482913. Il expire dans 10 minutes.
        90215|Saisissez 90215 pour vous connecter à Exemple
        482913|Code de confirmation : 482 913
        482913|Exemple Banque : code SMS 482913 pour valider le paiement de 45,90 EUR
        48291|Mot de passe à usage unique : 48291
        482913|Tu código de verificación es 482913
        482913|482913 es tu código de seguridad de Ejemplo.
        7351|Código: 7351. No lo compartas con nadie.
        90215|Usa la clave dinámica 90215 para tu compra de 120,50 EUR
        482913|Ejemplo: tu código de acceso es 482-913
        482913|Código de un solo uso: 482913, válido 5 minutos
        604812|Introduce el código 604812 en la app
        482913|Il tuo codice di verifica è 482913
        482913|482913 è il tuo codice di sicurezza Esempio
        7351|Codice: 7351. Non condividerlo.
        90215|Codice OTP 90215 per il pagamento di 35,00 EUR
        482913|Il codice di accesso è 482 913
        604812|Password monouso: 604812
        482913|Seu código de verificação é 482913
        482913|482913 é o seu código de segurança do Exemplo.
        7351|Código: 7351. Não o partilhe com ninguém.
        90215|Exemplo: use o código de acesso 90215 para entrar
        482913|Senha de uso único: 482913. Válida por 3 minutos.
        604812|O seu código de confirmação: 604-812
        482913|Je verificatiecode is 482913
        482913|482913 is je beveiligingscode voor Voorbeeld.
        7351|Code: 7351. Deel deze met niemand.
        90215|Gebruik inlogcode 90215 om in te loggen
        604812|Uw sms-code is 604812, 10 minuten geldig
        482913|Twój kod weryfikacyjny to 482913
        482913|482913 to Twój kod bezpieczeństwa.
        7351|Kod: 7351. Nie podawaj go nikomu.
        90215|Hasło jednorazowe 90215 do przelewu na kwotę 150,00 PLN
        604812|Kod SMS nr 3: 604812. Operacja z 22.11.2026
        482913|Din verifieringskod är 482913
        482913|482913 är din engångskod.
        7351|Kod: 7351. Dela den inte med någon.
        604812|Ange säkerhetskoden 604812 i appen
        482913|Din bekræftelseskode er 482913
        482913|482913 er din engangskode til Eksempel.
        7351|Kode: 7351. Del den ikke med andre.
        604812|Brug sikkerhedskoden 604812 inden 10 minutter
        482913|Doğrulama kodunuz: 482913
        482913|482913 Örnek güvenlik kodunuz.
        7351|Kodunuz 7351. Kimseyle paylaşmayın.
        90215|Tek kullanımlık şifreniz: 90215. İşlem tutarı 250,00 TL
        604812|Onay kodu 604812
        482913|Ваш код подтверждения: 482913
        482913|482913 — ваш код для входа в Пример.
        7351|Код: 7351. Никому не говорите его.
        90215|Пароль: 90215. Перевод 1500,00 RUB
        604812|Одноразовый пароль 604812 действует 5 минут
        48213|Введите код 48213 в приложении
        482913|您的验证码是482913，5分钟内有效。
        482913|【示例】482913是您的登录验证码，请勿泄露。
        7351|【示例】验证码：7351，用于绑定手机。
        482913|【示例】尊敬的用户，您的动态密码为４８２９１３，请在10分钟内输入。
        604812|校验码 604812，打死都不要告诉别人
        482913|您的驗證碼為 482913，請於 10 分鐘內輸入。
        90215|簡訊動態密碼：90215
        482913|認証コード：482913 有効期限は10分です。
        482913|482913 は例の確認コードです。
        7351|認証番号は7351です。他の人に教えないでください。
        604812|【例】ワンタイムパスワード 604812 をご入力ください
        482913|セキュリティコードは「４８２９１３」です
        482913|[예시] 인증번호 [482913]를 입력해 주세요.
        482913|482913 은(는) 예시 인증 코드입니다.
        7351|인증번호는 7351 입니다. 타인에게 알려주지 마세요.
        604812|[Web발신] 본인확인 인증번호(604812)를 입력하세요
        482913|로그인 코드: 482-913
        482913|رمز التحقق الخاص بك هو 482913
        482913|482913 هو رمز التحقق الخاص بك في مثال.
        7351|الرمز: 7351. لا تشاركه مع أحد.
        482913|رمز التأكيد ٤٨٢٩١٣
        90215|كود التفعيل: 90215
        482913|קוד האימות שלך הוא 482913
        482913|482913 הוא קוד האימות שלך.
        7351|הקוד שלך: 7351. אין להעביר אותו לאחרים.
        604812|סיסמה חד פעמית: 604812, בתוקף ל-5 דקות
        482913|Mã xác minh của bạn là 482913
        482913|Kode verifikasi Anda: 482913. JANGAN berikan kepada siapa pun.
        482913|Váš ověřovací kód je 482913
        482913|Ο κωδικός επαλήθευσης είναι 482913
        """)

    /// Messages without a code.
    static let withoutCode: [String] = lines(
        """
        See you at 1830 tonight
        Call 5551234 to authorise the payment
        A hold of $228401 to authorise your payment
        Dinner at 19:30, table for 4
        The meeting moved to 2026-11-22 at 14:00
        Happy New Year 2027!
        I was born in 1987
        Your order 48291375 has shipped.
        Your order #482913 is on its way
        Tracking number 48291375: out for delivery
        Parcel 7351 is waiting. Pick it up before 18:00.
        Your balance is 4512.20 USD
        You paid $1250 to Corner Shop
        Card ending in 4821 was charged 35.90 EUR
        A payment of 1,499.00 was made with card ending 7351
        Call us at 555-0123
        Call 0800 123 4567 if this was not you
        +1 202 555 0147
        My new number is 0170 1234567
        Flight AB1234 departs at 0930 from gate 4821
        Room 4821, 12th floor
        You walked 12345 steps today
        1234 Main Street, Springfield
        ZIP code 94110
        Please confirm your postal code 10115
        The area code is 0415
        Error code 5012: the printer is out of paper
        The app failed with status code 404 and exit code 1395
        Dress code 2026: black tie
        Use promo code SAVE2024 for 20% off
        Discount code: WINTER25 gives you 25% off your order
        Use code HELLO50 for a discount on your next trip
        Your coupon 482913 is valid until Sunday
        Scan the QR code 482913 at the door
        The source code has 48291 lines
        Code review 48213 is waiting for you
        PIN code of Bangalore 560001
        The pincode is 560001
        Never share your verification code with anyone.
        Passcode changed on the iPhone called 4821
        We sent a code to 555123
        We texted your login code to 48291375
        Security code: never share it. Our agent 482913 will not ask for it.
        Two-factor authentication (2FA) was disabled at 1830
        Token 48 please come to counter 1203
        Your password for account 48291375 was changed
        Somebody tried to guess your PIN 4 times at the machine in hall 7351
        The security code on the back of your card was wrong. Merchant 482913
        Ihr Passwort für das Konto 482913 wurde geändert
        Votre mot de passe du compte 482913 a été modifié
        Su clave fue cambiada en la oficina 4821
        Your verification code was sent to the number ending in 4821
        We will never ask for your code. Questions? Call 0800 123 456.
        Your PIN was changed on 22.11.2026
        Your password was changed at 14:35
        Your code expires in 1800 seconds
        Your session ends in 3600 seconds
        Invoice 482913 is due on 05/12/2026
        Ticket 48213: your request was received
        Case 7351482 was closed
        Reference 48291375, amount 250.00
        Account 48291375 was credited with 100.00
        Version 4821 is available
        Build 48213 failed
        Bitcoin is at 48213 USD
        Temperature 2345°
        97% of 482913 people agree
        482913 people like this
        The score is 4821 points
        Meet me in 2026 in room code alpha
        Visit https://example.com/code/482913 now
        Your code is at https://example.com/?code=482913
        Mail me at code482913@example.com
        Save the date: 2412
        Gate 1234 is closed
        Bus 4821 is 5 minutes late
        Your booking 482913 is confirmed
        Confirmation of your reservation 482913
        Reply STOP 4821 to end
        Model 482913, serial number 48291375
        Die Rechnung 482913 über 99,95 EUR ist da
        Ihre Sendung 48291375 wird heute zugestellt
        Bestellnummer 482913
        Ihr Kontostand: 4512,20 EUR
        Treffen um 1830 Uhr
        PLZ 10115 Berlin
        Ihre Postleitzahl 80331 wurde gespeichert
        Rabattcode SOMMER25 für 25 % Rabatt
        Fehlercode 5012
        Rufen Sie uns an: 089 123456
        Kundennummer 482913
        Du bist heute 12345 Schritte gegangen
        Votre commande 482913 est en route
        Votre colis 48291375 arrive demain
        Solde du compte : 4512,20 €
        Code postal 75011
        Code promo ETE2026 : -20 % de réduction
        Appelez le 0825 123 456
        Rendez-vous à 18h30 le 22/11/2026
        Facture 482913 à payer
        Su pedido 482913 ha salido
        Código postal 28013
        Código de error 5012
        Saldo: 4512,20 €
        Llame al 900 123 456
        Use el cupón VERANO25 y el código le da un descuento de 1500
        Il tuo ordine 482913 è stato spedito
        Codice postale 20121
        Codice sconto ESTATE25
        Il saldo è 4512,20 €
        Fattura 482913 disponibile
        O seu pedido 482913 foi enviado
        Código postal 1250
        Cupom VERAO25 com desconto de 1500 reais
        Cartão final 4821: compra de R$ 150,00
        Je bestelling 482913 is onderweg
        Postcode 1012
        Kortingscode ZOMER25
        Uw factuur 482913 staat klaar
        Twoja paczka 48291375 jest w drodze
        Kod pocztowy 00950
        Zamówienie 482913 wysłano
        Kod rabatowy LATO25 daje rabat 1500
        Din beställning 482913 är på väg
        Saldo: 4512 kr
        Postnummer 11122
        Din pakke 48291375 er klar
        Rabatkode SOMMER25
        Siparişiniz 482913 kargoya verildi
        Posta kodu 34000
        Bakiyeniz 4512,20 TL
        Заказ 482913 отправлен
        Код ошибки 5012
        Баланс 4512 руб.
        Промокод ЛЕТО25, скидка 1500 рублей
        Встреча в 18:30 22.11.2026
        您的订单482913已发货
        快递单号48291375
        余额4512元
        邮编100080
        您尾号4821的账户支出1500元
        ご注文番号482913の商品を発送しました
        郵便番号 1000001
        お問い合わせ番号 48291375
        残高は4512円です
        주문번호 48291375 배송이 시작되었습니다
        우편번호 04524
        잔액 4512원
        طلبك رقم 482913 في الطريق
        الرمز البريدي 11564
        رصيدك 4512 ريال
        הזמנה מספר 482913 נשלחה
        מיקוד 6100000
        יתרתך 4512 ש"ח
        """)

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { String($0).replacing("\\n", with: "\n") }
    }
}
