# The cases of a phone that has forgotten this machine, sourced by cases.sh. bluetoothd keeps the bond and refuses to
# pair again, and the user reads which side forgets what, within a minute on a quiet machine; a switch on the phone is not
# what is wrong.

keys=(the_phone_forgot_and_pairs the_phone_forgot_and_waits)

# The phone of a receiver, with these options, comes back without its keys.
phone_forgets() {
    local began
    start_receiver || return
    start_iphone
    receiver_has "$session" || return
    tell_iphone forget
    receiver_has '"event":"disconnected"' || return
    stop_iphone
    began=$SECONDS
    start_iphone "$@"
    receiver_has '"keys":"missing"' || return
    echo "  recognised after $((SECONDS - began)) s" >>/run/tests/results
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

# Both users say yes whenever they are asked, until a command succeeds. FILE has the questions of this machine, whose
# user types into this descriptor; the phone's user taps this machine time after time, for it may just have been refused.
say_yes_until() {
    local file=$1 descriptor=$2 asked
    shift 2
    asked=$(count "$file" 'yes or no:')
    until "$@" 2>/dev/null || [ -e lost ]; do
        if has_count "$file" 'yes or no:' $((asked + 1)); then
            asked=$((asked + 1))
            # A question that follows another cannot be answered within its first second.
            sleep 1.5
            echo yes >&"$descriptor"
        fi
        tell_iphone pair yes
        sleep 1
    done
}
