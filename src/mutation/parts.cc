// SPDX-License-Identifier: Apache-2.0
#include "src/mutation/parts.h"

namespace jostle {

Parts split_parts(const uint8_t* data, size_t size) {
  const Parts all_input = {data, size, data + size, 0};
  if (size < kPartsTrailer || data[size - 2] != 'J' || data[size - 1] != 'S') return all_input;
  const size_t both = size - kPartsTrailer;
  size_t length = data[both] | static_cast<size_t>(data[both + 1]) << 8;
  if (length > both) length = both;  // a fuzzer cut it short
  return {data, both - length, data + both - length, length};
}

size_t seal_parts(uint8_t* data, size_t input_size, size_t schedule_size) {
  uint8_t* trailer = data + input_size + schedule_size;
  trailer[0] = static_cast<uint8_t>(schedule_size);
  trailer[1] = static_cast<uint8_t>(schedule_size >> 8);
  trailer[2] = 'J';
  trailer[3] = 'S';
  return input_size + schedule_size + kPartsTrailer;
}

}  // namespace jostle
