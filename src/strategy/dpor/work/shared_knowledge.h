// SPDX-License-Identifier: Apache-2.0
// What those who share a search have to know of the program to see the same events.
#pragma once

#include <cstdint>

#include "src/strategy/dpor/work/byte_stream.h"

namespace jostle::dpor {

class SharedKnowledge {
 public:
  virtual ~SharedKnowledge() = default;
  virtual void write(ByteWriter& to) const = 0;
  // Adds to what is known. False: it is damaged.
  virtual bool read(ByteReader& from) = 0;
  // Changes whenever there is more to write.
  virtual uint64_t revision() const = 0;
  // Has what was read shown that events of earlier runs were seen otherwise by others? Says so
  // once.
  virtual bool take_contradiction() = 0;
};

}  // namespace jostle::dpor
