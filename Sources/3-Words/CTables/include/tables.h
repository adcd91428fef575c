#pragma once

/// The words that indicate one-time codes and other numbers: an object in JSON, and an octet 0.
const char *ctables_code_words(void);

/// The names of numbers that the Bluetooth SIG assigned: an object in JSON, and an octet 0.
const char *ctables_assigned_numbers(void);

/// What stands for an app of the phone on a desktop: app-faces.txt, and an octet 0.
const char *ctables_app_faces(void);

/// What people report about adapters: adapters.txt, and an octet 0.
const char *ctables_adapters(void);

/// The tables of a history, as SQL: history.sql, and an octet 0.
const char *ctables_history(void);
