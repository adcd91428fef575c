#pragma once

// Libraries that are loaded when one of their functions is first called. A linked library is mapped and
// relocated by every command of the tool, used or not: Documentation/Decisions says what that costs.

/// The function of this name in a library, which is loaded first if necessary. If either is missing, the
/// process prints an error and exits with status 127, as it does when the dynamic linker does not find a
/// library.
void *lazy_function(const char *library, const char *name);

/// Defines a function that is declared in a library's own header, so that the compiler compares the two. Its
/// first call looks the function up in the library, and every call is passed on to it.
#define LAZY_FUNCTION(library, result, name, parameters, arguments)           \
    result name parameters {                                                  \
        static __typeof__(&name) found;                                       \
        __typeof__(&name) function = __atomic_load_n(&found, __ATOMIC_ACQUIRE); \
        if (!function) {                                                      \
            function = (__typeof__(&name))lazy_function(library, #name);      \
            __atomic_store_n(&found, function, __ATOMIC_RELEASE);             \
        }                                                                     \
        return function arguments;                                            \
    }
