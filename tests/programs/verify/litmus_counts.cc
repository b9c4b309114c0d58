// The small programs with which memory models are described.
#include <atomic>

#include "counted.h"

static std::atomic<int> x, y;

static void store_x(int value) { x = value; }
static void store_y(int value) { y = value; }
static void store_x_load_y(int) { x = 1, y.load(); }
static void store_y_load_x(int) { y = 1, x.load(); }
static void load_x_store_y(int) { x.load(), y = 1; }
static void load_y_store_x(int) { y.load(), x = 1; }
static void store_x_store_y(int value) { x = value, y = value; }
static void store_y_store_x(int value) { y = value, x = value; }
static void load_x_load_y(int) { x.load(), y.load(); }
static void load_y_load_x(int) { y.load(), x.load(); }

COUNTED(store_buffering) { start<store_x_load_y>(), start<store_y_load_x>(); }
COUNTED(message_passing) { start<store_x_store_y>(1), start<load_y_load_x>(); }
COUNTED(load_buffering) { start<load_x_store_y>(), start<load_y_store_x>(); }
COUNTED(two_plus_two_writes) { start<store_x_store_y>(1), start<store_y_store_x>(2); }
COUNTED(independent_reads) {
  start<store_x>(1), start<store_y>(1);
  start<load_x_load_y>(), start<load_y_load_x>();
}

// SPDX-License-Identifier: Apache-2.0
