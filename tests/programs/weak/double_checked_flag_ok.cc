// fails: never
#define SET std::memory_order_release
#define LOOK std::memory_order_acquire
#include "double_checked_flag.h"
