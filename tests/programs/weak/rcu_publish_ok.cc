// fails: never
#define PUBLISH std::memory_order_release
#include "rcu_publish.h"
