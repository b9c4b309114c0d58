// SPDX-License-Identifier: Apache-2.0
#include "src/engine/integrity.h"

#include <stddef.h>

#include "src/base/hash.h"
#include "src/runtime/image/image.h"

namespace jostle::engine {

uint64_t Integrity::sum() const {
  const channel::Config& config = channel_.config;
  // Up to `expected_end`, the last field, which the self-check sets.
  const uint64_t hash =
      fnv1a(reinterpret_cast<const char*>(&config), offsetof(channel::Config, expected_end));
  return combine(hash, rt::image_checksum());
}

}  // namespace jostle::engine
