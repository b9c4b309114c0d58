// The careless version of io_faults.c.
#define NAIVE
#include "io_faults.c"

// SPDX-License-Identifier: Apache-2.0
