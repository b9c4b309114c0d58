// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/debug_excerpt.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/report/symbols/inflated_section.h"
#include "src/report/symbols/section_image.h"

namespace jostle::report {
namespace {

static_assert(std::endian::native == std::endian::little);

// What positions are made of. The first three are taken up to the end of a unit, the others as a
// whole: they are small.
constexpr const char* kPartly[] = {".debug_info", ".debug_abbrev", ".debug_line"};
constexpr const char* kWhole[] = {".debug_str",  ".debug_str_offsets", ".debug_line_str",
                                  ".debug_addr", ".debug_rnglists",    ".debug_ranges"};
constexpr char kRanges[] = ".debug_aranges";
constexpr uint64_t kMostOfWhole = 16 << 20;
// With more units than this all of them are decompressed at once: that is cheaper.
constexpr size_t kMostParts = 16;

}  // namespace

uint64_t lowest_address(Elf* elf) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return UINT64_MAX;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
    if (header.p_type == PT_LOAD) return header.p_vaddr;
  }
  return UINT64_MAX;
}

namespace {

// Everything that such a value needs lies in its own unit or in the sections that we have.
bool is_simple(uint64_t form) {
  switch (form) {
    case DW_FORM_addr:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_data16:
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_string:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_flag:
    case DW_FORM_flag_present:
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
    case DW_FORM_sec_offset:
    case DW_FORM_exprloc:
    case DW_FORM_implicit_const:
    // clang's: numbers in tables.
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
      return true;
    default:
      return false;
  }
}

// LEB128, signed or not: only its end matters then.
bool read_leb(InflatedSection& section, uint64_t& offset, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = 0;
    if (!section.read(offset, byte)) return false;
    ++offset;
    value |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

struct UnitHeader {
  uint64_t end;            // in .debug_info
  uint64_t abbreviations;  // in .debug_abbrev
  uint64_t die;            // in .debug_info
};

// Of a plain unit in the 32-bit format.
bool read_header(InflatedSection& info, uint64_t unit, UnitHeader& header) {
  uint32_t length = 0, abbreviations = 0;
  uint16_t version = 0;
  uint8_t type = DW_UT_compile, address_size = 0;
  if (!info.read(unit, length) || length >= 0xfffffff0u) return false;
  if (!info.read(unit + 4, version) || version < 2 || version > 5) return false;
  if (version == 5) {
    if (!info.read(unit + 6, type) || !info.read(unit + 7, address_size)) return false;
    if (!info.read(unit + 8, abbreviations)) return false;
    header.die = unit + 12;
  } else {
    if (!info.read(unit + 6, abbreviations) || !info.read(unit + 10, address_size)) return false;
    header.die = unit + 11;
  }
  header.end = unit + 4 + length;
  header.abbreviations = abbreviations;
  return type == DW_UT_compile && address_size == 8 && header.die < header.end;
}

}  // namespace

std::unique_ptr<DebugExcerpt> DebugExcerpt::open(const std::string& path, uint64_t load_address,
                                                 uint64_t least) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return nullptr;
  struct stat info;
  elf_version(EV_CURRENT);
  Elf* elf = fstat(file, &info) == 0 && S_ISREG(info.st_mode)
                 ? elf_begin(file, ELF_C_READ_MMAP, nullptr)
                 : nullptr;
  if (elf == nullptr) {
    close(file);
    return nullptr;
  }
  std::unique_ptr<DebugExcerpt> excerpt(new DebugExcerpt(file, elf));
  GElf_Ehdr header;
  size_t names = 0;
  if (gelf_getehdr(elf, &header) == nullptr || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || elf_getshdrstrndx(elf, &names) != 0 ||
      lowest_address(elf) != load_address) {
    return nullptr;
  }
  excerpt->machine_ = header.e_machine;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn)) != nullptr;) {
    GElf_Shdr section;
    if (gelf_getshdr(scn, &section) == nullptr) return nullptr;
    const char* name = elf_strptr(elf, names, section.sh_name);
    if (name == nullptr) return nullptr;
    // A file beside this one.
    if (std::strcmp(name, ".gnu_debugaltlink") == 0) return nullptr;
    if (std::strncmp(name, ".debug_", 7) != 0) continue;
    const Elf_Data* data = elf_rawdata(scn, nullptr);
    if ((section.sh_flags & SHF_COMPRESSED) == 0 || data == nullptr || data->d_buf == nullptr) {
      return nullptr;
    }
    auto inflated = std::make_unique<InflatedSection>(
        std::span(static_cast<const unsigned char*>(data->d_buf), data->d_size));
    if (!inflated->usable()) return nullptr;
    excerpt->sections_[name] = std::move(inflated);
  }
  const InflatedSection* units = excerpt->section(kPartly[0]);
  if (units == nullptr || units->size() < least || excerpt->section(kPartly[1]) == nullptr ||
      excerpt->section(kRanges) == nullptr) {
    return nullptr;
  }
  return excerpt;
}

DebugExcerpt::DebugExcerpt(int file, Elf* elf) : file_(file), elf_(elf) {}

DebugExcerpt::~DebugExcerpt() {
  parts_.clear();
  sections_.clear();
  elf_end(elf_);
  close(file_);
}

DebugExcerpt::Part::~Part() {
  if (dwarf != nullptr) dwarf_end(dwarf);
  if (elf != nullptr) elf_end(elf);
}

InflatedSection* DebugExcerpt::section(const char* name) const {
  const auto found = sections_.find(name);
  return found == sections_.end() ? nullptr : found->second.get();
}

// .debug_aranges: for every unit a table of pairs (begin, size), ended by a pair of zeros.
bool DebugExcerpt::read_ranges() {
  if (ranges_read_) return !ranges_.empty();
  ranges_read_ = true;
  InflatedSection& section = *this->section(kRanges);
  if (section.size() > kMostOfWhole) return false;
  constexpr uint64_t kPair = 16;
  for (uint64_t at = 0; at < section.size();) {
    uint32_t length = 0, unit = 0;
    uint16_t version = 0;
    uint8_t address_size = 0, segment_size = 0;
    if (!section.read(at, length) || !section.read(at + 4, version) ||
        !section.read(at + 6, unit) || !section.read(at + 10, address_size) ||
        !section.read(at + 11, segment_size) || length >= 0xfffffff0u || version != 2 ||
        address_size != 8 || segment_size != 0) {
      ranges_.clear();
      return false;
    }
    const uint64_t end = at + 4 + length;
    for (uint64_t pair = at + kPair; pair + kPair <= end; pair += kPair) {
      uint64_t begin = 0, size = 0;
      if (!section.read(pair, begin) || !section.read(pair + 8, size)) break;
      if (size != 0 && begin + size > begin) ranges_.push_back({begin, begin + size, unit});
    }
    at = end;
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return !ranges_.empty();
}

// The table at this offset; false when it has something in it that may need more than we have.
bool DebugExcerpt::inflate_abbreviations(uint64_t offset) {
  InflatedSection& table = *section(kPartly[1]);
  while (true) {
    uint64_t code = 0, tag = 0;
    if (!read_leb(table, offset, code)) return false;
    if (code == 0) return true;
    if (!read_leb(table, offset, tag)) return false;
    ++offset;  // has it children?
    for (uint64_t attribute = 1, form = 1; attribute != 0 || form != 0;) {
      if (!read_leb(table, offset, attribute) || !read_leb(table, offset, form)) return false;
      if ((attribute != 0 || form != 0) && !is_simple(form)) return false;
      uint64_t constant = 0;
      if (form == DW_FORM_implicit_const && !read_leb(table, offset, constant)) return false;
    }
  }
}

// What is decompressed so far, as a file whose last unit ends there.
std::unique_ptr<DebugExcerpt::Part> DebugExcerpt::open_part(uint64_t unit_die, uint64_t unit_end) {
  struct Piece {
    const char* name;
    const unsigned char* bytes;
    size_t size;
  };
  std::vector<Piece> pieces;
  size_t all = 0;
  const auto add = [&](const char* name) {
    const InflatedSection* from = section(name);
    if (from == nullptr || from->bytes().empty()) return;
    const size_t size = name == kPartly[0] ? unit_end : from->bytes().size();
    pieces.push_back({name, from->bytes().data(), size});
    all += size;
  };
  for (const char* name : kPartly) add(name);
  for (const char* name : kWhole) add(name);
  SectionImage writer(machine_, all);
  for (const Piece& piece : pieces) writer.add(piece.name, SHT_PROGBITS, piece.bytes, piece.size);
  auto part = std::make_unique<Part>();
  part->image = writer.finish();
  part->elf = elf_memory(part->image.data(), part->image.size());
  if (part->elf == nullptr) return nullptr;
  part->dwarf = dwarf_begin_elf(part->elf, DWARF_C_READ, nullptr);
  if (part->dwarf == nullptr) return nullptr;
  return dwarf_offdie(part->dwarf, unit_die, &part->unit) == nullptr ? nullptr : std::move(part);
}

bool DebugExcerpt::inflate_whole() {
  for (const char* name : kWhole) {
    InflatedSection* whole = section(name);
    if (whole != nullptr && (whole->size() > kMostOfWhole || !whole->reach(whole->size()))) {
      return false;
    }
  }
  return true;
}

// Where the unit's line numbers are in .debug_line. libdw would not say: it has not got that
// section yet.
bool DebugExcerpt::line_table_of(Part& part, uint32_t& offset) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(&part.unit, DW_AT_stmt_list, &attribute) == nullptr) return false;
  const unsigned form = dwarf_whatform(&attribute);
  const auto* value = reinterpret_cast<const char*>(attribute.valp);
  const char* end = part.image.data() + part.image.size();
  if (form != DW_FORM_sec_offset && form != DW_FORM_data4) return false;
  if (value < part.image.data() || end - value < static_cast<ptrdiff_t>(sizeof offset))
    return false;
  std::memcpy(&offset, value, sizeof offset);
  return true;
}

std::unique_ptr<DebugExcerpt::Part> DebugExcerpt::make_part(uint64_t unit) {
  InflatedSection& info = *section(kPartly[0]);
  UnitHeader header{};
  if (!read_header(info, unit, header) || !info.reach(header.end)) return nullptr;
  if (!inflate_abbreviations(header.abbreviations)) return nullptr;
  std::unique_ptr<Part> part = open_part(header.die, header.end);
  InflatedSection* lines = section(kPartly[2]);
  uint32_t offset = 0, length = 0;
  const bool has_lines = part != nullptr && lines != nullptr && line_table_of(*part, offset);
  if (part == nullptr || !inflate_whole()) return nullptr;
  if (has_lines && (!lines->read(offset, length) || length >= 0xfffffff0u ||
                    !lines->reach(uint64_t{offset} + 4 + length))) {
    return nullptr;
  }
  return open_part(header.die, header.end);
}

bool DebugExcerpt::find_unit(uint64_t address, Dwarf_Die& unit) {
  if (!read_ranges()) return false;
  auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](uint64_t value, const Range& range) { return value < range.begin; });
  if (after == ranges_.begin()) return false;
  const Range& range = *std::prev(after);
  if (address >= range.end) return false;
  auto found = parts_.find(range.unit);
  if (found == parts_.end()) {
    if (parts_.size() == kMostParts) return false;
    found = parts_.emplace(range.unit, make_part(range.unit)).first;
  }
  if (found->second == nullptr) return false;
  unit = found->second->unit;
  return true;
}

}  // namespace jostle::report
