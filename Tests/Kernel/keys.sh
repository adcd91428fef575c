# The cases of a phone that has forgotten this machine, sourced by cases.sh. bluetoothd keeps the bond and refuses to
# pair again, and the user reads which side forgets what, within a minute, wherever it is looked for; a switch on the
# phone is not what is wrong.

keys=(the_phone_forgot_and_pairs the_phone_forgot_and_waits)

# The phone of a receiver, with these options, comes back without its keys.
phone_forgets() {
    start_receiver || return
    start_iphone
    receiver_has "$session" || return
    tell_iphone forget
    receiver_has '"state":"ended"' || return
    stop_iphone
    SECONDS=0
    start_iphone "$@"
    receiver_has '"keys":"missing"' || return
    [ "$SECONDS" -le 60 ] || problem "it took $SECONDS s"
    expect_text receiver.out "the phone has no keys for this device"
    expect_text receiver.out "'bluetoothctl remove "
    expect_no_text receiver.out 'Share System Notifications'
    expect_no_text receiver.err 'Share System Notifications'
    stop_iphone
    stop_receiver
}

# It asks to pair, as one does whose user has tapped this machine again.
the_phone_forgot_and_pairs() { phone_forgets --pair connection; }

# It only connects, and the link stays up.
the_phone_forgot_and_waits() { phone_forgets --pair never; }
