"""What arrives of what a phone shows."""

from __future__ import annotations

from typing import Any

from harness import InteropTest, Record
from phone_gatt import local_time


def text(record: Record, *path: str) -> str:
    """A value inside a record; one that is not there counts as empty."""
    value: Any = record
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return "" if value is None else str(value)


def prefix_of(original: str) -> Any:
    """Accepts what is left of a text after a cut, whether a broken code point is marked or not."""
    return lambda shown: shown != "" and original.startswith(shown.rstrip("\ufffd…"))


class Delivery(InteropTest):
    """One phone, one accessory, and notifications."""

    async def test_a_notification_arrives_as_it_was_meant(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell(
            "post",
            app="com.apple.MobileSMS",
            category="social",
            title="Zoë 🚲",
            subtitle="An dich & mich",
            message='„Grüße" aus 東京\n\tbis morgen 👩🏽\u200d🚀',
            date="20261121T093015",
            positive="Antworten",
            negative="Löschen",
            important=True,
        )
        record = await accessory.expect("added")
        message = '„Grüße" aus 東京\n\tbis morgen 👩🏽\u200d🚀'
        self.assertEqual(record["uid"], 0)
        self.assertEqual(sorted(record["flags"]), ["important", "negativeAction", "positiveAction"])
        self.assertEqual((record["category"], record["categoryID"]), ("social", 4))
        self.assertEqual(record["categoryCount"], 1)
        self.assertEqual(
            record["app"], {"identifier": "com.apple.MobileSMS", "displayName": "Messages"}
        )
        self.assertEqual(record["title"], "Zoë 🚲")
        self.assertEqual(record["subtitle"], "An dich & mich")
        self.assertEqual(record["message"], message)
        self.assertEqual(int(record["messageSize"]), len(message.encode()))
        self.assertEqual(record["date"], "2026-11-21T09:30:15")
        self.assertEqual(record["actions"], {"positive": "Antworten", "negative": "Löschen"})
        await self.finish()

    async def test_dates_have_the_offset_of_the_phone(self) -> None:
        phone, accessory = await self.connect("--zone", "765")
        await self.subscribe(phone)
        # The clock is read after the first notification.
        for title in ("first", "second"):
            date = local_time(765)
            phone.tell("post", title=title, date=date.strftime("%Y%m%dT%H%M%S"))
            record = await accessory.expect("added", title=title)
            self.assertNotIn("preExisting", record)
            if title == "first":
                await phone.expect("subscribed", characteristic="currentTime")
        self.assertEqual(record["date"], date.isoformat(timespec="seconds"))
        self.assertRegex(str(record["date"]), r"\+12:45$")
        await self.finish()

    async def test_empty_attributes_do_not_hold_a_notification_back(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("post", app="com.apple.Passbook", category=0, date="", negative=None)
        record = await accessory.expect("added")
        self.assertEqual(record["flags"], [])
        self.assertEqual(record["category"], "other")
        for name in ("title", "subtitle", "message", "date"):
            self.assertEqual(text(record, name), "")
        self.assertEqual(text(record, "app", "identifier"), "com.apple.Passbook")
        self.assertEqual(text(record, "app", "displayName"), "")
        await self.finish()

    async def test_an_app_that_the_phone_does_not_know_has_no_name(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("post", app="org.example.gone", title="Ghost")
        record = await accessory.expect("added", title="Ghost")
        self.assertEqual(text(record, "app", "displayName"), "")
        await self.finish()

    async def test_an_app_answer_without_tuples_means_no_name(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault")
        phone.tell("fault", no_tuples=True)
        phone.tell("post", app="com.apple.news", title="Headline")
        record = await accessory.expect("added", title="Headline")
        self.assertEqual(text(record, "app", "displayName"), "")
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_a_notification_that_changes_and_goes_is_reported(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell(
            "post", tag="mail", app="com.apple.mobilemail", category="email", title="Loading…"
        )
        await accessory.expect("added", uid=0, title="Loading…", category="email")
        phone.tell("modify", tag="mail", title="Quarterly report", message="Please find attached")
        record = await accessory.expect("modified", uid=0)
        self.assertEqual(record["title"], "Quarterly report")
        self.assertEqual(record["message"], "Please find attached")
        phone.tell("remove", tag="mail")
        record = await accessory.expect("removed", uid=0)
        self.assertEqual((record["category"], record["categoryCount"]), ("email", 0))
        await self.finish()

    async def test_existing_notifications_come_first_and_are_marked(self) -> None:
        await self.lab.start_controllers()
        phone = await self.lab.start_phone()
        for title in ("One", "Two", "Three"):
            phone.tell("post", title=title)
        accessory = await self.lab.start_accessory()
        for uid, title in enumerate(("One", "Two", "Three")):
            record = await accessory.expect("added", uid=uid, title=title)
            self.assertIn("preExisting", record["flags"])
            self.assertIn("silent", record["flags"])
        self.assertNotIn("preExisting", (await self.exchange(phone, accessory, "Four"))["flags"])
        await self.finish()

    async def test_a_new_session_begins_with_new_uids(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("post", tag="gone", title="Gone")
        phone.tell("post", title="Stays", message="About Stays")
        await accessory.expect("added", uid=1, title="Stays")
        phone.tell("remove", tag="gone")
        await accessory.expect("removed", uid=0)
        phone.tell("disconnect")
        await accessory.expect("disconnected")
        record = await accessory.expect("added", uid=0, title="Stays")
        self.assertEqual(record["message"], "About Stays")
        await self.finish()

    async def test_what_ios_has_and_the_specification_has_not_is_passed_on(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("post", title="Picture", category=12, flags=0x20)
        record = await accessory.expect("added", title="Picture")
        self.assertEqual(record["categoryID"], 12)
        self.assertIn("reserved5", record["flags"])
        phone.tell("post", title="Future", category=200)
        await accessory.expect("added", title="Future", categoryID=200, category="reserved200")
        await self.finish()

    async def check_burst(self, count: int, *arguments: str) -> None:
        """Many at once: each arrives once, calls first, in order, with its own content."""
        phone, accessory = await self.connect(*arguments, accessory=("--count", str(count)))
        await self.subscribe(phone)
        phone.tell("flood", count=count)
        self.assertEqual(await accessory.status(), 0)
        arrived = accessory.all("added")
        records = sorted(arrived, key=lambda record: record["uid"])
        self.assertEqual([record["uid"] for record in records], list(range(count)))
        calls = [record for record in records if record["category"] == "incomingCall"]
        others = [record for record in records if record not in calls]
        self.assertEqual([record for record in arrived if record in calls], calls)
        self.assertEqual([record for record in arrived if record in others], others)
        self.assertLess(arrived.index(calls[-1]), arrived.index(others[-1]))
        for number, record in enumerate(records):
            self.assertEqual(record["title"], f"Title {number} 通知")
            self.assertEqual(record["message"], f"Message {number} 🙂 " + "." * (number % 100))
        # Asking for this app's name takes 24 octets: a long write where ATT_MTU is 23 (S24).
        self.assertEqual(
            records[0]["app"], {"identifier": "com.apple.mobilephone", "displayName": "Phone"}
        )
        await self.finish()

    async def test_two_hundred_at_once_arrive_once_each_and_calls_first(self) -> None:
        await self.check_burst(200)

    async def test_att_mtu_23(self) -> None:
        await self.check_burst(12, "--mtu", "23")

    async def test_att_mtu_185(self) -> None:
        await self.check_burst(12, "--mtu", "185")

    async def test_att_mtu_517(self) -> None:
        await self.check_burst(12, "--mtu", "517")

    async def check_long(self, *arguments: str) -> None:
        """Attributes far longer than one notification can carry."""
        phone, accessory = await self.connect(*arguments)
        await self.subscribe(phone)
        title = "".join(chr(0x4E00 + number) for number in range(900))
        message = "".join(f"{number}·" for number in range(2000))
        phone.tell("post", title=title, message=message)
        record = await accessory.expect("added")
        asked = (await phone.expect("command", command="getNotificationAttributes"))["attributes"]
        for identifier, original, shown in (
            (1, title, record["title"]),
            (3, message, record["message"]),
        ):
            maximum = dict(asked)[identifier]
            self.assertEqual(shown, original.encode()[:maximum].decode(errors="ignore"))
        self.assertEqual(int(record["messageSize"]), len(message.encode()))
        await self.finish()

    async def test_long_attributes_over_many_small_values(self) -> None:
        await self.check_long("--mtu", "23")

    async def test_long_attributes_over_large_values(self) -> None:
        await self.check_long("--mtu", "517")

    async def test_a_code_point_cut_in_the_middle_is_repaired(self) -> None:
        phone, accessory = await self.connect("--truncation", "hard", "--mtu", "23")
        await self.subscribe(phone)
        for shift in range(4):
            title = "x" * shift + "🙂" * 300
            message = "x" * shift + "語🙂" * 700
            phone.tell("post", title=title, message=message)
            await accessory.expect(
                "added", uid=shift, title=prefix_of(title), message=prefix_of(message)
            )
        await self.finish()

    async def test_an_ellipsis_beyond_the_maximum_is_accepted(self) -> None:
        phone, accessory = await self.connect("--truncation", "ellipsis")
        await self.subscribe(phone)
        phone.tell("post", title="t" * 2000, message="m" * 20_000)
        record = await accessory.expect("added")
        self.assertIn(record["title"].strip("t"), ("…", ""), "shown whole, or cut to what was asked")
        self.assertTrue(record["title"].startswith("ttt"))
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_only_the_attributes_asked_for_are_fetched(self) -> None:
        phone, accessory = await self.connect(accessory=("--attributes", "title,message"))
        await self.subscribe(phone)
        phone.tell("post", title="Short", message="Text", subtitle="Unseen")
        record = await accessory.expect("added", title="Short", message="Text")
        self.assertNotIn("subtitle", record)
        asked = (await phone.expect("command", command="getNotificationAttributes"))["attributes"]
        self.assertNotIn(2, dict(asked))
        await self.finish()


class Actions(InteropTest):
    """What a person answers to a notification."""

    async def test_declining_a_call_ends_it_and_leaves_a_missed_call(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("ring", title="Ada Lovelace")
        call = await accessory.expect("announced", category="incomingCall")
        record = await accessory.expect("added", category="incomingCall")
        self.assertEqual(record["uid"], call["uid"])
        self.assertEqual(record["actions"], {"positive": "Answer", "negative": "Decline"})
        accessory.write(f"perform {record['uid']} negative")
        await phone.expect("action", uid=record["uid"], action="negative")
        await accessory.expect("removed", uid=record["uid"])
        missed = await accessory.expect("added", category="missedCall")
        self.assertNotEqual(missed["uid"], record["uid"])
        await self.finish()

    async def test_a_positive_action_reaches_the_phone(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("post", title="Bread", app="com.apple.reminders", positive="Complete")
        record = await accessory.expect("added", title="Bread")
        accessory.write(f"perform {record['uid']} positive")
        await phone.expect("action", uid=record["uid"], action="positive")
        await self.finish()

    async def test_several_actions_are_performed_in_order(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("flood", count=5)
        for uid in range(5):
            await accessory.expect("added", uid=uid)
        for uid in range(5):
            accessory.write(f"perform {uid} negative")
        for uid in range(5):
            await accessory.expect("removed", uid=uid)
        self.assertEqual([record["uid"] for record in phone.all("action")], list(range(5)))
        await self.finish()

    async def test_an_action_that_fails_does_not_disturb_the_session(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("post", title="Stubborn", failing=True)
        record = await accessory.expect("added", title="Stubborn")
        accessory.write(f"perform {record['uid']} negative")
        await phone.expect("refused", error=0xA3)
        await self.exchange(phone, accessory, "Next")
        await self.finish()
