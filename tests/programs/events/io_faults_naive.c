// The careless version of io_faults.c.
#define NAIVE
#include "io_faults.c"
