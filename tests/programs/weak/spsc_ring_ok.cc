// fails: never
#define PUBLISH std::memory_order_release
#include "spsc_ring.h"
