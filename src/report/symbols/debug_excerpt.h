// SPDX-License-Identifier: Apache-2.0
// The part of a compressed debug file that describes one address.
//
// Distributions ship the debug information of libc and its kin in files of their own, compressed.
// libdw decompresses all of such a file when it opens it, which takes longer than everything else
// that a report needs, for the two frames of libc below main. Here sections are decompressed from
// their beginning to where the unit ends that covers the address. What is not as simple as libc's
// debug information usually is (references to other units, other files, unknown forms) is refused:
// then the caller has to open all of it.
//
// Nothing in the file is trusted: it is read within its bounds, and decompressed as far as it
// really goes and not as far as it says.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace jostle::report {

class InflatedSection;

// Where the first segment of a program or library begins; UINT64_MAX when there is none.
uint64_t lowest_address(Elf* elf);

class DebugExcerpt {
 public:
  // Null when the file is not one that this is for. `load_address` is lowest_address of the
  // module that it belongs to: addresses of the two have to be the same.
  // Files with less are opened as a whole: it is not worth the trouble.
  static constexpr uint64_t kWorthIt = 1 << 20;
  static std::unique_ptr<DebugExcerpt> open(const std::string& path, uint64_t load_address,
                                            uint64_t least = kWorthIt);
  ~DebugExcerpt();
  DebugExcerpt(const DebugExcerpt&) = delete;
  DebugExcerpt& operator=(const DebugExcerpt&) = delete;

  // The unit that covers the address; it lives as long as this object. False: look elsewhere.
  bool find_unit(uint64_t address, Dwarf_Die& unit);

 private:
  struct Range {
    uint64_t begin, end, unit;
  };
  // A file with parts of the sections, in memory, as libdw sees it.
  struct Part {
    std::vector<char> image;
    Elf* elf = nullptr;
    Dwarf* dwarf = nullptr;
    Dwarf_Die unit{};
    ~Part();
  };

  DebugExcerpt(int file, Elf* elf);
  InflatedSection* section(const char* name) const;
  bool read_ranges();
  std::unique_ptr<Part> make_part(uint64_t unit);
  std::unique_ptr<Part> open_part(uint64_t unit_die, uint64_t unit_end);
  bool inflate_abbreviations(uint64_t offset);
  bool inflate_whole();
  static bool line_table_of(Part& part, uint32_t& offset);

  int file_;
  Elf* elf_;
  uint16_t machine_ = 0;
  std::map<std::string, std::unique_ptr<InflatedSection>> sections_;
  bool ranges_read_ = false;
  std::vector<Range> ranges_;                        // sorted
  std::map<uint64_t, std::unique_ptr<Part>> parts_;  // by unit; null: refused
};

}  // namespace jostle::report
