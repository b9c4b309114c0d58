// SPDX-License-Identifier: Apache-2.0
// What most programs in C++ include; see JOSTLE_LARGE_UNITS in ../CMakeLists.txt.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
