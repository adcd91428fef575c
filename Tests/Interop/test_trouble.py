"""Phones that are incomplete, slow, or broken, and links that fail."""

from __future__ import annotations

from harness import InteropTest


class IncompletePhone(InteropTest):
    """Phones that do not have everything, or not yet."""

    async def test_without_control_point_the_events_still_arrive(self) -> None:
        phone, accessory = await self.connect("--without", "control-point")
        await self.subscribe(phone)
        phone.tell("post", title="Unseen", category="schedule")
        record = await accessory.expect("added", uid=0, category="schedule")
        self.assertEqual(record.get("title", ""), "")
        await self.finish()

    async def test_without_data_source_the_events_still_arrive(self) -> None:
        phone, accessory = await self.connect("--without", "data-source")
        await self.subscribe(phone)
        phone.tell("post", title="Unseen", category="news")
        await accessory.expect("added", uid=0, category="news")
        self.assertEqual(phone.all("command"), [])
        await self.finish()

    async def test_a_service_that_appears_later_is_found(self) -> None:
        phone, accessory = await self.connect("--hidden")
        await phone.expect("paired")
        await phone.expect("subscribed", characteristic="serviceChanged")
        phone.tell("show")
        await phone.expect("serviceChangedConfirmed")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Late")
        await self.finish()

    async def test_a_service_that_goes_and_comes_back_is_found_again(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Before")
        phone.tell("hide")
        await phone.expect("serviceChangedConfirmed")
        phone.tell("show")
        await phone.expect("serviceChangedConfirmed")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_handles_are_not_trusted_when_the_database_changed_between_connections(
        self,
    ) -> None:
        phone, accessory = await self.connect("--database-hash", "--hidden")
        await phone.expect("paired")
        await phone.expect("subscribed", characteristic="serviceChanged")
        phone.tell("disconnect", reconnect=False)
        await phone.expect("disconnected")
        phone.tell("show")
        phone.tell("connect")
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_consent_that_is_given_later_lets_content_through(self) -> None:
        phone, accessory = await self.connect("--consent", "later")
        await self.subscribe(phone)
        await phone.expect("subscribed", characteristic="dataSource")
        phone.tell("post", title="Patience", message="About Patience")
        phone.tell("consent", given=True)
        record = await accessory.expect("added", title="Patience")
        self.assertEqual(record["message"], "About Patience")
        await self.finish()

    async def test_a_refusal_for_want_of_consent_is_no_failure(self) -> None:
        phone, accessory = await self.connect("--consent", "content-later")
        await self.subscribe(phone)
        phone.tell("post", title="Refused")
        await phone.expect("refused", error=0x03)
        await accessory.expect("session", state="unauthorized")
        phone.tell("consent", given=True)
        await self.exchange(phone, accessory, "Allowed")
        await self.finish()


class SilentPhone(InteropTest):
    """Phones that stop to do their part, and say nothing about it."""

    async def test_what_came_without_consent_is_completed_when_there_is_consent(self) -> None:
        phone, accessory = await self.connect("--consent", "content-later")
        await self.subscribe(phone)
        phone.tell("post", title="Refused", message="About Refused")
        record = await accessory.expect("added", uid=0)
        self.assertEqual(record["failure"]["attError"], 0x03)
        phone.tell("consent", given=True)
        record = await accessory.expect("modified", uid=0, title="Refused")
        self.assertTrue(record["completes"])
        self.assertEqual(record["message"], "About Refused")
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_a_silent_notification_source_is_detected_and_subscribed_to_again(self) -> None:
        phone, accessory = await self.connect(accessory=("--probe", "1"))
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Before")
        phone.tell("unsubscribe", characteristic="notificationSource")
        phone.tell("post", title="Unheard", message="About Unheard")
        await accessory.expect("session", state="ended")
        await accessory.expect("session", state="started")
        record = await accessory.expect("added", title="Unheard")
        self.assertEqual(record["message"], "About Unheard")
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_a_silent_data_source_is_detected_and_subscribed_to_again(self) -> None:
        phone, accessory = await self.connect(accessory=("--probe", "1"))
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "Before")
        phone.tell("unsubscribe", characteristic="dataSource")
        await accessory.expect("session", state="ended")
        await accessory.expect("session", state="started")
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_a_lost_answer_is_asked_for_again(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", drop=True)
        phone.tell("post", title="Lost", message="About Lost")
        record = await accessory.expect("added", uid=0)
        self.assertEqual(record["failure"]["reason"], "timedOut")
        record = await accessory.expect("modified", uid=0, title="Lost")
        self.assertTrue(record["completes"])
        await self.finish()

    async def test_a_name_that_is_not_told_holds_nothing_up(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault")
        phone.tell("fault", drop=True)
        record = await self.exchange(phone, accessory, "Nameless")
        self.assertEqual(record["displayNameFailure"]["reason"], "timedOut")
        self.assertNotIn("displayName", record["app"])
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_what_an_earlier_session_has_shown_is_told_from_what_is_new(self) -> None:
        phone, accessory = await self.connect(accessory=("--remember",))
        await self.subscribe(phone)
        record = await self.exchange(phone, accessory, "Old")
        self.assertFalse(record["seen"])
        phone.tell("disconnect", reconnect=False)
        await accessory.expect("session", state="ended")
        phone.tell("post", title="New", message="About New")
        phone.tell("connect")
        for title, seen in (("Old", True), ("New", False)):
            record = await accessory.expect("added", title=title)
            self.assertIn("preExisting", record["flags"])
            self.assertEqual(record["seen"], seen)
        await self.finish()


class BrokenAnswer(InteropTest):
    """Answers that come in odd ways, or not at all."""

    async def check_fault(self, **fault: object) -> None:
        """A fault in one answer costs nothing, or nothing but that answer."""
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", **fault)
        await self.exchange(phone, accessory, "Odd")
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_one_octet_in_each_value(self) -> None:
        await self.check_fault(fragment=1)

    async def test_seven_octets_in_each_value(self) -> None:
        await self.check_fault(fragment=7, times=2)

    async def test_tuples_in_another_order(self) -> None:
        await self.check_fault(order="reverse")

    async def test_an_answer_that_is_sent_twice(self) -> None:
        await self.check_fault(duplicate=True)

    async def test_a_slow_answer(self) -> None:
        await self.check_fault(delay=1.5)

    async def test_a_disconnection_in_the_middle_of_an_answer(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", disconnect_after=20)
        phone.tell("post", title="Torn", message="About Torn")
        await phone.expect("disconnected")
        await accessory.expect("session", state="ended")
        await self.subscribe(phone)
        record = await accessory.expect("added", title="Torn")
        self.assertEqual(record["message"], "About Torn")
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_a_disconnection_instead_of_a_write_response(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", disconnect_on_write=True)
        phone.tell("post", title="Torn", message="About Torn")
        await phone.expect("disconnected")
        await accessory.expect("added", title="Torn")
        await self.finish()

    async def test_an_answer_that_stops_in_the_middle_holds_up_only_itself(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", stop_after=30)
        phone.tell("post", title="Half", message="About Half")
        await phone.expect("answered", octets=30)
        await self.exchange(phone, accessory, "Next")
        await self.finish()

    async def test_a_late_answer_is_not_taken_for_that_of_the_next_request(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", hold=True)
        phone.tell("post", title="Held", message="About Held")
        await phone.expect("command", command="getNotificationAttributes", uid=0)
        await self.exchange(phone, accessory, "Next")
        await self.exchange(phone, accessory, "After")
        await self.finish()

    async def test_a_notification_that_is_gone_when_asked_for_holds_up_nothing(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        phone.tell("fault", att_error=0xA2)
        phone.tell("post", title="Gone")
        await phone.expect("refused", error=0xA2)
        await self.exchange(phone, accessory, "Next")
        await self.finish()


class LostController(InteropTest):
    """What becomes of the program when its controller goes."""

    async def test_a_controller_that_dies_ends_the_program_with_a_clear_error(self) -> None:
        phone, accessory = await self.connect()
        await self.subscribe(phone)
        assert self.lab.controllers is not None
        await self.lab.controllers.kill()
        self.assertIn(await accessory.status(), (1, 3))
        self.assertTrue(any(line.strip() for line in accessory.errors))

    async def test_a_controller_that_is_not_there_ends_the_program_with_status_3(self) -> None:
        accessory = await self.lab.start_accessory(
            moniker=f"unix:{self.lab.directory / 'nowhere.socket'}"
        )
        self.assertEqual(await accessory.status(), 3)
        self.assertTrue(any(line.strip() for line in accessory.errors))

    async def test_a_phone_that_goes_out_of_range_can_come_back(self) -> None:
        phone, accessory = await self.connect()
        await phone.expect("paired")
        await self.subscribe(phone)
        await phone.kill()
        await accessory.expect("session", state="ended")
        phone = await self.lab.start_phone()
        await phone.expect("encrypted", bonded=True)
        await self.subscribe(phone)
        await self.exchange(phone, accessory, "After")
        await self.finish()
