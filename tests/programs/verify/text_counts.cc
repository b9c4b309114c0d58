// SPDX-License-Identifier: Apache-2.0
// Functions of libc read and write strings that other threads write: only as far as they look.
#include "counted.h"

static char text[16] = "abc1,x";
static volatile long used;

static void write_3(int) { text[3] = '2'; }
static void write_5(int) { text[5] = 'y'; }

// ---- what is read ---------------------------------------------------------------------------

static void compare(int) { used = std::strcmp(text, "abc2"); }
static void compare_first(int) { used = std::strcmp(text, "b"); }
COUNTED(compare) {
  start<compare>();
  start<write_3>();
}
COUNTED(compare_first) {
  start<compare_first>();
  start<write_3>();
}

static void number(int) { used = std::atoi(text + 3); }
COUNTED(number) {
  start<number>();
  start<write_3>();
}
COUNTED(behind_number) {
  start<number>();
  start<write_5>();
}

static void find(int) { used = std::strchr(text, ',') != nullptr; }
COUNTED(find) {
  start<find>();
  start<write_3>();
}
COUNTED(behind_found) {
  start<find>();
  start<write_5>();
}

// ---- what is written ------------------------------------------------------------------------

static void print(int i) { std::snprintf(text, sizeof text, "%d", i); }
COUNTED(print) { start_each<print>(n); }

static void copy(int i) { std::strncpy(text, i ? "one" : "two", sizeof text); }
COUNTED(copy) { start_each<copy>(n); }
