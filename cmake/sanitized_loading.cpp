// Linked into every program that the address sanitizer watches: what shared libraries allocate while they are loaded is
// not counted as leaked. CLN, the numbers of GiNaC, loses 26 bytes there, and Debian's build of it is out of our hands.
// A suppression by name would do, too, but has each program start a symbolizer that reads all of its debug information.

#include <sanitizer/lsan_interface.h>

namespace {

// The dynamic loader calls this before any constructor of a library.
void before_libraries() { __lsan_disable(); }

[[gnu::section(".preinit_array"), gnu::used]] void (*const first)() = before_libraries;

// This runs after all libraries, as the first constructor of the program itself.
[[gnu::constructor(101)]] void after_libraries() { __lsan_enable(); }

}  // namespace
