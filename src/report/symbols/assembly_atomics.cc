// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/assembly_atomics.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "src/base/atomic_instructions.h"
#include "src/report/symbols/functions.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

struct Piece {
  uint64_t begin, end;
  uint32_t depth;
  const std::string* name;
};

// The innermost function at an address.
const std::string* function_at(const std::vector<Piece>& pieces, uint64_t address) {
  const Piece* found = nullptr;
  for (const Piece& piece : pieces) {
    if (piece.begin > address || address >= piece.end) continue;
    if (!found || piece.depth >= found->depth) found = &piece;
  }
  return found ? found->name : nullptr;
}

// Where the function begins that has the address, or that part of it.
uint64_t beginning_at(const std::vector<Piece>& pieces, uint64_t address) {
  uint64_t begin = address;
  for (const Piece& piece : pieces) {
    if (piece.depth == 0 && piece.begin <= address && address < piece.end) begin = piece.begin;
  }
  return begin;
}

// Helpers of the compiler's library stand for atomics of code that was compiled otherwise; where
// they are called is not known, and gcc links them in unasked.
bool is_compilers_own(std::string_view name) { return name.starts_with("__aarch64_"); }

class CodeOfFile {
 public:
  explicit CodeOfFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
  }
  ~CodeOfFile() {
    if (elf_) elf_end(elf_);
    if (file_ >= 0) close(file_);
  }
  CodeOfFile(const CodeOfFile&) = delete;
  CodeOfFile& operator=(const CodeOfFile&) = delete;

  std::optional<Processor> processor() const {
    GElf_Ehdr header;
    if (!elf_ || !gelf_getehdr(elf_, &header)) return std::nullopt;
    if (header.e_machine == EM_AARCH64) return Processor::aarch64;
    if (header.e_machine == EM_X86_64) return Processor::x86_64;
    return std::nullopt;
  }

  // By the symbol table alone.
  struct Symbol {
    std::string_view name = {};  // empty: no function, or the file has none
    uint64_t begin = 0;
  };
  Symbol function_at(uint64_t address) const {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      if (!data || header.sh_entsize == 0) continue;
      for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol)) break;
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
        if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
        const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
        return {name ? name : "", symbol.st_value};
      }
    }
    return {};
  }

  // Tables among functions may look like instructions of any kind: does one begin at `address`, if
  // the function that begins at `begin` has nothing but instructions until there?
  bool is_instruction(uint64_t address, uint64_t begin, Processor processor) const {
    bool is_one = false;
    for_each_section([&](uint64_t section, std::span<const uint8_t> code) {
      if (begin < section || address - section >= code.size()) return;
      size_t at = begin - section;
      while (at < address - section) {
        at = behind_instruction(code.data(), code.size(), at, processor);
      }
      is_one = at == address - section;
    });
    return is_one;
  }

  // f(address, bytes) for every section of code that was compiled, not made by the linker.
  template <typename F>
  void for_each_section(F f) const {
    size_t names = 0;
    if (!elf_ || elf_getshdrstrndx(elf_, &names) != 0) return;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS) continue;
      const char* name = elf_strptr(elf_, names, header.sh_name);
      if (!name || strncmp(name, ".text", 5) != 0) continue;
      const Elf_Data* data = elf_rawdata(section, nullptr);
      if (!data || !data->d_buf) continue;
      f(header.sh_addr, std::span(static_cast<const uint8_t*>(data->d_buf), data->d_size));
    }
  }

 private:
  int file_;
  Elf* elf_ = nullptr;
};

using NextInstruction = size_t (*)(const uint8_t* code, size_t size, size_t from, Processor);

std::vector<uint64_t> instructions_in(const CodeOfFile& file, NextInstruction next, size_t most) {
  std::vector<uint64_t> addresses;
  const std::optional<Processor> processor = file.processor();
  if (!processor) return addresses;
  file.for_each_section([&](uint64_t begin, std::span<const uint8_t> code) {
    size_t at = 0;
    while (addresses.size() < most &&
           (at = next(code.data(), code.size(), at, *processor)) < code.size()) {
      addresses.push_back(begin + at);
      at = behind_instruction(code.data(), code.size(), at, *processor);
    }
  });
  return addresses;
}

}  // namespace

std::vector<std::string> libraries_with_unseen_order(const Symbolizer& symbols) {
  std::vector<std::string> names;
  for (const Module& module : symbols.modules()) {
    const bool is_known = module.instrumented || module.idle_atomics ||
                          is_system_library(module.path) || is_own_library(module.path) ||
                          is_openmp_library(module.path);
    if (is_known) continue;
    const bool has_atomics =
        !instructions_in(CodeOfFile(module.path), next_atomic_instruction, 1).empty();
    if (has_atomics) names.push_back(escape(base_name(module.path)));
  }
  return names;
}

std::string describe_unseen_order(const std::vector<std::string>& libraries) {
  return fmt::format("how {} order{} threads by atomics of {} own is not seen",
                     fmt::join(libraries, ", "), libraries.size() == 1 ? "s" : "",
                     libraries.size() == 1 ? "its" : "their");
}

namespace {

std::vector<std::string> functions_with(const std::string& module_path, NextInstruction next) {
  const CodeOfFile file(module_path);
  const std::vector<uint64_t> addresses = instructions_in(file, next, SIZE_MAX);
  if (addresses.empty()) return {};
  const std::vector<Function> functions = functions_of(module_path);
  std::vector<Piece> pieces;
  for (const Function& function : functions) {
    for (const CodePiece& piece : function.code) {
      pieces.push_back({piece.begin, piece.end, piece.depth, &function.name});
    }
  }
  std::vector<std::string> names;
  for (const uint64_t address : addresses) {
    const std::string* name = function_at(pieces, address);
    if (!name || is_compilers_own(*name)) continue;
    // Copies that were inlined begin at instructions of the function around them.
    if (!file.is_instruction(address, beginning_at(pieces, address), *file.processor())) continue;
    if (std::ranges::find(names, *name) == names.end()) names.push_back(*name);
  }
  return names;
}

}  // namespace

constexpr std::string_view kWhatItCosts =
    "only accesses that two threads are about to make at the same time are races, and weak memory "
    "is explored only with --memory=c11";

bool has_assembly_atomics(const std::string& module_path) {
  const CodeOfFile file(module_path);
  return std::ranges::any_of(
      instructions_in(file, next_atomic_instruction, SIZE_MAX), [&](uint64_t address) {
        const CodeOfFile::Symbol function = file.function_at(address);
        if (function.name.empty()) return true;  // code without symbols, or a table
        return !is_compilers_own(function.name) &&
               file.is_instruction(address, function.begin, *file.processor());
      });
}

std::vector<std::string> functions_with_assembly_atomics(const std::string& module_path) {
  return functions_with(module_path, next_atomic_instruction);
}

std::vector<std::string> functions_that_read_counter(const std::string& module_path) {
  return functions_with(module_path, next_counter_instruction);
}

std::string describe_assembly_atomics(const std::vector<std::string>& functions) {
  const size_t others = functions.size() - 1;
  return fmt::format(
      "in {}{}: inline assembly, or compiled without `jostle c++`. Threads meet there unseen: who "
      "waits in a loop there costs milliseconds, {} (the compiler's __atomic functions are seen)",
      escape(functions.front()),
      others == 0   ? ""
      : others == 1 ? " and another function"
                    : fmt::format(" and {} other functions", others),
      kWhatItCosts);
}

std::string describe_possible_atomics(std::string_view module_name) {
  return fmt::format(
      "perhaps, in {}: what looks like atomic instructions is in no function that is known there: "
      "assembly, or a table. In case threads meet there, {}",
      escape(module_name), kWhatItCosts);
}

}  // namespace jostle::report
