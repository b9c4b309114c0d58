// SPDX-License-Identifier: Apache-2.0
#define JOSTLE_DEFINES_STRING_HOOKS  // the test's own calls go to libc
#include "src/base/raw_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace {

// Sizes around those of the pieces that are written at once, from every place within one.
TEST(RawMemory, SetsExactlyWhatItIsAskedTo) {
  std::vector<unsigned char> memory(1024);
  for (const int value : {0, 7}) {
    for (size_t begin = 128; begin < 192; ++begin) {
      for (const size_t size : {0, 1, 8, 63, 64, 255, 256, 257, 319, 320, 384, 512, 575}) {
        memory.assign(memory.size(), 99);
        EXPECT_EQ(jostle_raw_memset(&memory[begin], value, size), &memory[begin]);
        for (size_t i = 0; i < memory.size(); ++i) {
          const bool inside = i >= begin && i < begin + size;
          ASSERT_EQ(memory[i], inside ? value : 99) << i << " of " << begin << " and " << size;
        }
      }
    }
  }
}

}  // namespace
