#!/bin/sh
# A program of a rule: notes each event of a notification, with its title from the record on standard input.
title=$(sed -nE 's/.*"title":"([^"]*)".*/\1/p')
echo "$ANCS_EVENT $ANCS_CATEGORY $ANCS_APP $ANCS_RULE $title" >>"$(dirname "$0")/log"
