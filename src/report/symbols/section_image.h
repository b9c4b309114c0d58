// SPDX-License-Identifier: Apache-2.0
// An ELF file in memory that has sections and no program: the form in which libdw takes debug
// information that is not in a file as it is. (libelf writes such a file to a descriptor only.)
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace jostle::report {

class SectionImage {
 public:
  SectionImage(uint16_t machine, size_t expected) : machine_(machine) {
    constexpr size_t kTables = 4096;  // headers and names
    image_.reserve(expected + kTables);
    image_.resize(sizeof(Elf64_Ehdr));
    sections_.emplace_back();  // the first one is none
    names_.push_back('\0');
  }

  void add(const char* name, uint32_t type, const void* bytes, size_t size) {
    image_.resize((image_.size() + 7) / 8 * 8);
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names_.size());
    header.sh_type = type;
    header.sh_offset = image_.size();
    header.sh_size = size;
    header.sh_addralign = 1;
    sections_.push_back(header);
    names_.append(name, std::strlen(name) + 1);
    const char* from = static_cast<const char*>(bytes);
    image_.insert(image_.end(), from, from + size);
  }

  std::vector<char> finish() {
    constexpr char kNames[] = ".shstrtab";
    const std::string names = names_ + kNames + '\0';
    add(kNames, SHT_STRTAB, names.data(), names.size());
    image_.resize((image_.size() + 7) / 8 * 8);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = machine_;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shoff = image_.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<uint16_t>(sections_.size() - 1);
    std::memcpy(image_.data(), &header, sizeof header);
    const char* table = reinterpret_cast<const char*>(sections_.data());
    image_.insert(image_.end(), table, table + sections_.size() * sizeof(Elf64_Shdr));
    return std::move(image_);
  }

 private:
  std::vector<char> image_;
  std::vector<Elf64_Shdr> sections_;
  std::string names_;
  uint16_t machine_;
};

}  // namespace jostle::report
