// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/symbolizer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "src/report/symbols/type_members.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr int kLocationOffsetBits = 48;
constexpr uint64_t kLocationOffsetMask = (uint64_t{1} << kLocationOffsetBits) - 1;

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

Module to_module(const channel::ModuleRecord& record) {
  return {std::string(bounded(record.path)),
          record.bias,
          record.begin,
          record.end,
          record.name_hash,
          record.instrumented != 0,
          record.atomics == channel::UnseenAtomics::wait};
}

// What a check and a property are made of, compiled into the program.
bool is_own_header(std::string_view file) {
  constexpr std::string_view kFolder = "/jostle/";
  const size_t at = file.rfind(kFolder);
  if (at == std::string_view::npos || !file.ends_with(".hpp")) return false;
  const std::string_view name = file.substr(at + kFolder.size());
  if (name.starts_with("linearizable/")) return true;
  for (const std::string_view own :
       {"check.hpp", "property.hpp", "gen.hpp", "show.hpp", "gtest.hpp", "catch2.hpp",
        "doctest.hpp", "linearizable.hpp", "fingerprint.hpp", "location.hpp"}) {
    if (name == own) return true;
  }
  return false;
}

// Index of the parenthesis that opens the parameter list; npos when there is none.
size_t parameter_list(std::string_view function) {
  if (function.ends_with(" const")) function.remove_suffix(6);
  if (!function.ends_with(')')) return std::string_view::npos;
  int depth = 0;
  for (size_t i = function.size(); i-- > 0;) {
    if (function[i] == ')') ++depth;
    if (function[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

bool is_system_file(std::string_view file) {
  return starts_with_any(file, {"/usr/include/", "/usr/lib/", "/usr/local/include/c++"}) ||
         file.find("/include/c++/") != std::string_view::npos ||
         file.find("/lib/gcc/") != std::string_view::npos ||
         file.find("/lib/clang/") != std::string_view::npos;
}

bool is_system_library(std::string_view path) {
  const std::string_view name = base_name(path);
  return starts_with_any(name,
                         {"libc.so",     "libc-",      "libstdc++.so", "libm.so",   "libm-",
                          "libgcc_s.so", "ld-linux",   "ld-2",         "ld.so",     "libpthread",
                          "libdl.so",    "librt.so",   "libatomic.so", "libc++",    "libunwind.so",
                          "linux-vdso",  "linux-gate", "[vdso]",       "libresolv", "libnss_"});
}

bool is_own_library(std::string_view path) {
  return starts_with_any(base_name(path), {"libjostle.so", "libtsan.so"});
}

bool is_openmp_library(std::string_view path) {
  return starts_with_any(base_name(path), {"libgomp.so"});
}

namespace {

// What is in no namespace that has a name needs none.
std::string without_unnamed(std::string text) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (size_t at; (at = text.find(kUnnamed)) != std::string::npos;) text.erase(at, kUnnamed.size());
  return text;
}

// Without what compilers append to tell variables apart that a program calls the same:
// "calls.0", "name[abi:cxx11]".
std::string plain_name(std::string text) {
  constexpr std::string_view kAbi = "[abi:";
  for (size_t at; (at = text.find(kAbi)) != std::string::npos;) {
    text.erase(at, text.find(']', at) - at + 1);
  }
  const size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size()) return text;
  const bool is_number = text.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_number ? text.substr(0, dot) : text;
}

}  // namespace

std::string source(const Frame& frame) {
  if (frame.line == 0 || frame.file.empty()) return frame.where;
  return fmt::format("{}:{}", escape(base_name(frame.file)), frame.line);
}

std::string short_function(std::string_view function) {
  // What compilers append to the name that assertions print: "[with T = long int]".
  if (function.ends_with(']')) {
    const size_t with = function.find(" [");
    if (with != std::string_view::npos) function = function.substr(0, with);
  }
  const size_t parameters = parameter_list(function);
  const bool is_call_operator = function.substr(0, parameters).ends_with("operator");
  if (parameters != std::string_view::npos && parameters > 0 && !is_call_operator) {
    function = function.substr(0, parameters);
  }
  // A function template's name begins with its return type: "void worker<int>".
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ' ' && depth == 0 && !function.substr(0, i).ends_with("operator")) start = i + 1;
  }
  // "void *worker" is how clang writes what returns a pointer.
  start = std::min(function.find_first_not_of("*&", start), function.size());
  return std::string(function.substr(start));
}

std::string readable_function(std::string_view function) {
  std::string name = without_unnamed(short_function(function));
  const size_t call = name.rfind("::operator()");
  if (call == std::string::npos) return name;
  std::string scope = name.substr(0, call);
  for (const std::string_view lambda : {"::{lambda(", "::$_", "::'lambda"}) {
    const size_t at = scope.rfind(lambda);
    if (at != std::string::npos) return "lambda in " + short_function(scope.substr(0, at));
  }
  return scope;
}

Symbolizer::Symbolizer(std::span<const channel::ModuleRecord> modules) {
  modules_.reserve(modules.size());
  for (const channel::ModuleRecord& record : modules) modules_.push_back(to_module(record));
}

const Module* Symbolizer::module_at(uintptr_t address) const {
  for (const Module& module : modules_) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

// Files are kept open, and what was looked up in them is kept, as long as they are the same files.
std::shared_ptr<Symbolizer::OpenFile> Symbolizer::open_file(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::make_shared<OpenFile>();
  using Identity = std::tuple<std::string, dev_t, ino_t, off_t, time_t, long>;
  static auto& files = *new std::map<Identity, std::shared_ptr<OpenFile>>;
  std::shared_ptr<OpenFile>& file = files[{path, info.st_dev, info.st_ino, info.st_size,
                                           info.st_mtim.tv_sec, info.st_mtim.tv_nsec}];
  if (file == nullptr) {
    file = std::make_shared<OpenFile>();
    file->symbols = ModuleSymbols::open(path);
    if (file->symbols != nullptr) file->types.emplace(*file->symbols);
  }
  return file;
}

Symbolizer::OpenFile& Symbolizer::file_of(const Module& module) {
  std::shared_ptr<OpenFile>& file = open_[&module];
  if (file == nullptr) file = open_file(module.path);
  return *file;
}

bool Symbolizer::has_debug_info(const Module& module) {
  ModuleSymbols* symbols = symbols_of(module);
  return symbols != nullptr && symbols->has_debug_info();
}

std::vector<Frame> Symbolizer::lookup(uintptr_t pc) {
  const Module* module = module_at(pc);
  if (module == nullptr) return {Frame{fmt::format("{:#x}", pc), "", "", 0, false}};
  const std::string name = escape(base_name(module->path));
  const std::string where = fmt::format("{}+{:#x}", name, pc - module->bias);
  const bool system = is_system_library(name) || is_own_library(name);
  std::vector<Frame> result;
  OpenFile& file = file_of(*module);
  if (file.symbols != nullptr) {
    const auto [known, is_new] = file.positions.try_emplace(pc - module->bias);
    if (is_new) known->second = file.symbols->positions(pc - module->bias);
    for (const SourcePosition& position : known->second) {
      const bool plumbing = system || is_system_file(position.file) ||
                            is_own_header(position.file) || position.function == "_start";
      result.push_back({where, escape(position.function), position.file, position.line, plumbing});
    }
  }
  if (result.empty()) result.push_back({where, "", "", 0, system});
  return result;
}

const std::vector<Frame>& Symbolizer::frames(uintptr_t pc, PcKind kind) {
  if (kind == PcKind::return_address && pc != 0) --pc;
  auto [entry, added] = cache_.try_emplace(pc);
  if (added) entry->second = lookup(pc);
  return entry->second;
}

Frame Symbolizer::line_that_matters(uintptr_t pc, PcKind kind) {
  const std::vector<Frame>& all = frames(pc, kind);
  const auto own = std::find_if(all.begin(), all.end(),
                                [](const Frame& f) { return !f.plumbing && f.line != 0; });
  return own == all.end() ? all.front() : *own;
}

Frame Symbolizer::line_that_matters(const channel::Stack& stack, bool first_is_exact) {
  Frame fallback;
  const uint32_t depth = std::min<uint32_t>(stack.depth, channel::kMaxStack);
  for (uint32_t i = 0; i < depth; ++i) {
    const bool exact = i == 0 && first_is_exact;
    Frame frame = line_that_matters(stack.pc[i], exact ? PcKind::exact : PcKind::return_address);
    if (!frame.plumbing && frame.line != 0) return frame;
    // Without debug information, the program's own module is still better than libc.
    if (fallback.where.empty() || (fallback.plumbing && !frame.plumbing)) fallback = frame;
  }
  return fallback;
}

std::string Symbolizer::global(uintptr_t address) {
  const Module* module = module_at(address);
  ModuleSymbols* symbols = module == nullptr ? nullptr : symbols_of(*module);
  if (symbols == nullptr) return {};
  const std::optional<Symbol> symbol = symbols->symbol(address - module->bias);
  if (!symbol) return {};
  const std::string name = escape(symbol->name);
  return symbol->offset == 0 ? name : fmt::format("{}+{}", name, symbol->offset);
}

ModuleSymbols* Symbolizer::symbols_at(uintptr_t address, uint64_t& in_file) {
  const Module* module = module_at(address);
  if (module == nullptr) return nullptr;
  in_file = address - module->bias;
  return symbols_of(*module);
}

NamedMemory Symbolizer::variable(uintptr_t address, uint32_t size) {
  const Module* module = module_at(address);
  ModuleSymbols* symbols = module == nullptr ? nullptr : symbols_of(*module);
  if (symbols == nullptr) return {};
  const std::optional<Symbol> symbol = symbols->symbol(address - module->bias);
  if (!symbol) return {};
  VariableTypes& types = *file_of(*module).types;
  PlaceInType place = types.place(address - module->bias - symbol->offset, symbol->offset, size);
  return named(escape(plain_name(without_unnamed(symbol->name))) + place.text, place);
}

NamedMemory Symbolizer::thread_local_variable(uint64_t from_thread_pointer, uint32_t size) {
  if (modules_.empty()) return {};
  const Module& program = modules_.front();
  ModuleSymbols* symbols = symbols_of(program);
  if (symbols == nullptr) return {};
  const std::optional<uint64_t> offset = symbols->offset_in_thread_locals(from_thread_pointer);
  if (!offset) return {};
  return file_of(program).types->thread_local_at(*offset, size);
}

namespace {

// The frame of a stack that an address is in: its number; UINT32_MAX: in none.
uint32_t frame_with(const channel::Stack& stack, uintptr_t address) {
  const uint32_t depth = std::min<uint32_t>(stack.depth, channel::kMaxStack);
  for (uint32_t i = 0; i < depth; ++i) {
    if (stack.frame[i] > address) return i;  // 0: not known
  }
  return UINT32_MAX;
}

// Where the stack pointer is in this frame; 0: not known.
uintptr_t begin_of_frame(const channel::Stack& stack, uint32_t i) {
  if (i == 0) return stack.innermost == 0 ? 0 : stack.frame[0] - stack.innermost;
  return (stack.not_adjacent >> i & 1) != 0 ? 0 : stack.frame[i - 1];
}

}  // namespace

Frame Symbolizer::frame_of(const channel::Stack& stack, uintptr_t address) {
  const uint32_t i = frame_with(stack, address);
  return i == UINT32_MAX ? Frame{} : frames(stack.pc[i]).back();
}

NamedMemory Symbolizer::local(const channel::Stack& stack, uintptr_t address, uint32_t size) {
  const uint32_t i = frame_with(stack, address);
  if (i == UINT32_MAX) return {};
  uint64_t pc = 0;
  ModuleSymbols* symbols = symbols_at(stack.pc[i] - 1, pc);
  if (symbols == nullptr) return {};
  return local_variable(*symbols, {pc, begin_of_frame(stack, i), stack.frame[i]}, address, size);
}

NamedMemory Symbolizer::local(uintptr_t pc, uint64_t above, uint64_t frame_size) {
  // Where the stack was does not matter.
  constexpr uint64_t kEnd = uint64_t{1} << 40;
  uint64_t in_file = 0;
  ModuleSymbols* symbols = symbols_at(pc - 1, in_file);
  if (symbols == nullptr || above == 0 || above > kEnd / 2 || frame_size > kEnd / 2) return {};
  const uint64_t begin = frame_size == 0 ? 0 : kEnd - frame_size;
  return local_variable(*symbols, {in_file, begin, kEnd}, kEnd - above, 0);
}

const Module* Symbolizer::module_of(channel::CodeLocation location) const {
  const uint64_t hash = location >> kLocationOffsetBits;
  const uint64_t offset = location & kLocationOffsetMask;
  const Module* found = nullptr;
  for (const Module& module : modules_) {
    if (location == 0 || module.name_hash != hash) continue;
    const uintptr_t address = module.bias + offset;
    // Sixteen bits can collide; the right one holds the address.
    if (found == nullptr || (address >= module.begin && address <= module.end)) found = &module;
  }
  return found;
}

uintptr_t Symbolizer::address_of(channel::CodeLocation location) const {
  const Module* module = module_of(location);
  return module == nullptr ? 0 : module->bias + (location & kLocationOffsetMask);
}

channel::CodeLocation Symbolizer::location_of(uintptr_t address) const {
  const Module* module = module_at(address);
  if (module == nullptr) return 0;
  return module->name_hash << kLocationOffsetBits | (address - module->bias);
}

std::string Symbolizer::where(channel::CodeLocation location) const {
  if (location == 0) return {};
  const Module* module = module_of(location);
  const std::string name = module == nullptr
                               ? fmt::format("?{:04x}", location >> kLocationOffsetBits)
                               : escape(base_name(module->path));
  return fmt::format("{}+{:#x}", name, location & kLocationOffsetMask);
}

}  // namespace jostle::report
