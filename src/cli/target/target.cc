// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "src/cli/support/descriptor.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr uint16_t kOwnMachine = EM_AARCH64;
#elif defined(__x86_64__)
constexpr uint16_t kOwnMachine = EM_X86_64;
#else
#error "jostle runs on aarch64 and x86-64"
#endif

std::string machine_name(uint16_t machine, unsigned char elf_class) {
  switch (machine) {
    case EM_AARCH64:
      return "aarch64";
    case EM_X86_64:
      return elf_class == ELFCLASS32 ? "x32" : "x86-64";
    case EM_386:
      return "32-bit x86";
    case EM_ARM:
      return "32-bit arm";
    case EM_RISCV:
      return "riscv";
    case EM_PPC64:
      return "ppc64";
    case EM_S390:
      return "s390";
    case EM_LOONGARCH:
      return "loongarch";
    default:
      return fmt::format("ELF machine {}", machine);
  }
}

Result<std::string> find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/bin:/usr/bin" : variable;
  std::string denied;
  while (true) {
    const size_t colon = path.find(':');
    std::string directory(path.substr(0, colon));
    if (directory.empty()) directory = ".";
    std::string candidate = fmt::format("{}/{}", directory, name);
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) {
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
      denied = candidate;
    }
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  if (!denied.empty()) return denied;  // the checks that follow say why not
  std::error_code error;
  if (fs::is_regular_file(name, error)) {
    return Error{Exit::missing, fmt::format("no `{0}' in PATH: did you mean ./{0}?", name)};
  }
  return Error{Exit::missing, fmt::format("no `{}' in PATH: check the name, or give a path", name)};
}

Error cannot_open(const std::string& given, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    return {Exit::missing, fmt::format("no program {}: check the path, or build it first", given)};
  }
  if (error == EACCES || error == EPERM) {
    return {Exit::not_executable,
            fmt::format("{} cannot be read: check its permissions (chmod +rx)", given)};
  }
  return {Exit::missing, fmt::format("{} cannot be opened: {}", given, std::strerror(error))};
}

Error script_error(const std::string& given, std::string_view head) {
  head.remove_prefix(2);
  head = head.substr(0, head.find('\n'));
  const size_t first = head.find_first_not_of(" \t");
  const std::string_view line = first == std::string_view::npos ? "" : head.substr(first);
  const std::string interpreter(line.substr(0, line.find_first_of(" \t\r")));
  return {Exit::not_a_program,
          fmt::format("{0} is a script for {1}, not a program: give the program that the script "
                      "starts, or `-- {1} {0}' to control the interpreter",
                      given, interpreter.empty() ? "an interpreter" : interpreter)};
}

// The ELF file, open for questions. All answers are "no" when the file is damaged.
class ElfFile {
 public:
  explicit ElfFile(int fd) {
    elf_version(EV_CURRENT);
    elf_ = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  }
  ~ElfFile() { elf_end(elf_); }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  bool header(GElf_Ehdr& header) const {
    return elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF && gelf_getehdr(elf_, &header) != nullptr;
  }

  bool has_segment(uint32_t type) const {
    size_t count = 0;
    if (elf_getphdrnum(elf_, &count) != 0) return false;
    for (size_t i = 0; i < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_, static_cast<int>(i), &segment) != nullptr && segment.p_type == type) {
        return true;
      }
    }
    return false;
  }

  // Calls f(name, is_defined) for every symbol of all symbol tables until it returns true.
  template <typename F>
  bool any_symbol(F&& f) const {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_entsize == 0) continue;
      if (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      const size_t count = data == nullptr ? 0 : data->d_size / header.sh_entsize;
      for (size_t i = 0; i < count; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
        const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
        if (name != nullptr && f(std::string_view(name), symbol.st_shndx != SHN_UNDEF)) return true;
      }
    }
    return false;
  }

  // DF_1_PIE: tells a static position-independent program from a shared library.
  bool is_pie() const {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      const size_t count =
          data == nullptr || header.sh_entsize == 0 ? 0 : data->d_size / header.sh_entsize;
      for (size_t i = 0; i < count; ++i) {
        GElf_Dyn entry;
        if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) break;
        if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) return true;
      }
    }
    return false;
  }

  std::string build_id() const {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
      Elf_Data* data = elf_getdata(section, nullptr);
      if (data == nullptr) continue;
      GElf_Nhdr note;
      size_t name = 0, content = 0;
      for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &content)) > 0;) {
        const char* bytes = static_cast<const char*>(data->d_buf);
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            std::memcmp(bytes + name, "GNU", 4) != 0) {
          continue;
        }
        std::string hex;
        for (size_t i = 0; i < note.n_descsz && i < 64; ++i) {
          hex += fmt::format("{:02x}", static_cast<unsigned char>(bytes[content + i]));
        }
        return hex;
      }
    }
    return {};
  }

 private:
  Elf* elf_;
};

MaybeError check_shape(const std::string& given, const ElfFile& elf, const GElf_Ehdr& header) {
  if (header.e_type == ET_REL) {
    return Error{Exit::not_a_program,
                 fmt::format("{} is an object file, not a program: link it first", given)};
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    return Error{Exit::not_a_program, fmt::format("{} is not a program", given)};
  }
  if (header.e_machine != kOwnMachine || header.e_ident[EI_CLASS] != ELFCLASS64) {
    return Error{Exit::architecture,
                 fmt::format("{} is a program for {}, this jostle is for {}: build it for this "
                             "machine",
                             given, machine_name(header.e_machine, header.e_ident[EI_CLASS]),
                             machine_name(kOwnMachine, ELFCLASS64))};
  }
  if (elf.has_segment(PT_INTERP)) return std::nullopt;
  if (header.e_type == ET_DYN && !elf.is_pie()) {
    return Error{
        Exit::not_a_program,
        fmt::format("{} is a shared library, not a program: give the program that uses it", given)};
  }
  return Error{Exit::static_program,
               fmt::format("{} is statically linked and cannot be controlled: link it without "
                           "-static",
                           given)};
}

// Runtimes that have to be first in the process, as ours has to.
MaybeError check_runtimes(const std::string& given, const ElfFile& elf) {
  std::string found;
  bool own_tsan = false;
  elf.any_symbol([&](std::string_view name, bool defined) {
    if (name == "__tsan_init" && defined) own_tsan = true;
    if (name == "__asan_init" || name == "__msan_init" || name == "__hwasan_init") {
      found = name == "__asan_init" ? "address" : name == "__msan_init" ? "memory" : "hwaddress";
    }
    return own_tsan || !found.empty();
  });
  if (own_tsan) {
    return Error{
        Exit::foreign_runtime,
        fmt::format("{} was built with clang -fsanitize=thread, whose runtime is linked in "
                    "statically: rebuild with JOSTLE_CXX=clang++ jostle c++",
                    given)};
  }
  if (!found.empty()) {
    return Error{Exit::foreign_runtime,
                 fmt::format("{} was built with -fsanitize={}, which cannot share a process with "
                             "jostle: rebuild it without",
                             given, found)};
  }
  return std::nullopt;
}

MaybeError check_permissions(const std::string& given, int fd, const struct stat& info) {
  if ((info.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return Error{Exit::set_id,
                 fmt::format("{} is set-{}: the system lets nobody control it; use a copy without "
                             "that bit (cp, then chmod ug-s)",
                             given, (info.st_mode & S_ISUID) != 0 ? "uid" : "gid")};
  }
  if (fgetxattr(fd, "security.capability", nullptr, 0) > 0) {
    return Error{Exit::set_id,
                 fmt::format("{} has file capabilities: the system lets nobody control it; use a "
                             "copy without them (cp does that)",
                             given)};
  }
  if (faccessat(AT_FDCWD, fmt::format("/proc/self/fd/{}", fd).c_str(), X_OK, AT_EACCESS) != 0) {
    return Error{Exit::not_executable, fmt::format("{0} is not executable: chmod +x {0}", given)};
  }
  return std::nullopt;
}

}  // namespace

Result<Target> examine_target(const std::string& given) {
  Target target;
  target.given = given;
  if (given.empty()) return Error{Exit::missing, "the program's name is empty: give a path"};
  target.path = given;
  if (given.find('/') == std::string::npos) {
    Result<std::string> found = find_in_path(given);
    if (!found) return found.error();
    target.path = *found;
  }
  // Not blocking: a FIFO of that name must not hold us up.
  const Descriptor file(open(target.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return cannot_open(given, errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return cannot_open(given, errno);
  if (S_ISDIR(info.st_mode)) {
    return Error{Exit::not_a_program,
                 fmt::format("{} is a directory: give the program in it", given)};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{Exit::not_a_program, fmt::format("{} is not a program", given)};
  }
  char head[256] = {};
  const ssize_t n = pread(file.get(), head, sizeof head, 0);
  const std::string_view text(head, n > 0 ? static_cast<size_t>(n) : 0);
  if (text.starts_with("#!")) return script_error(given, text);
  const ElfFile elf(file.get());
  GElf_Ehdr header;
  if (!text.starts_with(ELFMAG) || !elf.header(header)) {
    return Error{Exit::not_a_program,
                 fmt::format("{} is not a program{}: give an executable", given,
                             text.starts_with(ELFMAG) ? " (damaged ELF file)" : " (no ELF file)")};
  }
  if (MaybeError error = check_shape(given, elf, header)) return *error;
  if (MaybeError error = check_permissions(given, file.get(), info)) return *error;
  if (MaybeError error = check_runtimes(given, elf)) return *error;
  target.instrumented = elf.any_symbol(
      [](std::string_view name, bool defined) { return !defined && name.starts_with("__tsan_"); });
  std::error_code ignored;
  target.absolute = fs::absolute(target.path, ignored).lexically_normal();
  target.name = report::base_name(target.path);
  target.build_id = elf.build_id();
  target.size = static_cast<uint64_t>(info.st_size);
  return target;
}

std::string content_hash(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return {};
  // Eight bytes a time: programs can be large, and this is no cryptography.
  uint64_t hash = 0xCBF29CE484222325;
  std::vector<uint64_t> buffer(1 << 14);
  while (true) {
    std::fill(buffer.begin(), buffer.end(), 0);
    const ssize_t n = read(file.get(), buffer.data(), buffer.size() * sizeof buffer[0]);
    if (n < 0) return {};
    if (n == 0) return fmt::format("{:016x}", hash);
    for (size_t i = 0; i * sizeof buffer[0] < static_cast<size_t>(n); ++i) {
      hash = (hash ^ buffer[i]) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
  }
}

std::string not_instrumented_note(const Target& target) {
  return fmt::format(
      "{} was not built with `jostle c++`: only synchronisation calls are controlled (rebuild, or "
      "pass --sync-only to silence this)",
      target.given);
}

}  // namespace jostle::cli
