// SPDX-License-Identifier: Apache-2.0
// A compressed section of an ELF file, decompressed from its beginning as far as somebody asks.
#pragma once

#include <elf.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace jostle::report {

class InflatedSection {
 public:
  // `stored` is the section as it is in the file, with its header; it must outlive this.
  explicit InflatedSection(std::span<const unsigned char> stored) {
    Elf64_Chdr header;
    if (stored.size() < sizeof header) return;
    std::memcpy(&header, stored.data(), sizeof header);
    stored = stored.subspan(sizeof header);
    if (header.ch_type != ELFCOMPRESS_ZLIB || stored.size() > UINT32_MAX) return;
    size_ = header.ch_size;
    stream_.next_in = const_cast<unsigned char*>(stored.data());  // zlib does not write there
    stream_.avail_in = static_cast<uInt>(stored.size());
    usable_ = inflateInit(&stream_) == Z_OK;
  }
  ~InflatedSection() {
    if (usable_) inflateEnd(&stream_);
  }
  InflatedSection(const InflatedSection&) = delete;
  InflatedSection& operator=(const InflatedSection&) = delete;

  bool usable() const { return usable_; }
  uint64_t size() const { return size_; }  // of the whole, as the file says
  const std::vector<unsigned char>& bytes() const { return bytes_; }

  // Are there so many bytes? Then `bytes` has at least them.
  bool reach(uint64_t count) {
    constexpr size_t kStep = 1 << 16, kMostAhead = 1 << 20;
    if (!usable_ || count > size_) return false;
    if (count > bytes_.capacity()) {
      bytes_.reserve(
          std::max<uint64_t>(2 * bytes_.capacity(), std::min<uint64_t>(count, kMostAhead)));
    }
    while (bytes_.size() < count) {
      const size_t before = bytes_.size();
      bytes_.resize(before + std::min<uint64_t>(kStep, size_ - before));
      stream_.next_out = bytes_.data() + before;
      stream_.avail_out = static_cast<uInt>(bytes_.size() - before);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      bytes_.resize(bytes_.size() - stream_.avail_out);
      if ((result != Z_OK && result != Z_STREAM_END) || bytes_.size() == before) break;
    }
    return bytes_.size() >= count;
  }

  // A number of the file, least significant byte first.
  template <typename T>
  bool read(uint64_t offset, T& value) {
    if (offset > size_ || !reach(offset + sizeof value)) return false;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return true;
  }

 private:
  bool usable_ = false;
  uint64_t size_ = 0;
  z_stream stream_{};
  std::vector<unsigned char> bytes_;
};

}  // namespace jostle::report
