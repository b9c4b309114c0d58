// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/modules/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>

#include "src/base/hash.h"
#include "src/base/kept.h"
#include "src/runtime/modules/atomic_sites.h"
#include "src/runtime/modules/atomic_walk.h"
#include "src/runtime/modules/frame_walk.h"
#include "src/runtime/modules/function_table.h"
#include "src/runtime/modules/system_call_sites.h"

namespace jostle::rt {

JOSTLE_KEPT uintptr_t g_program_begin = 0, g_program_size = 0;
JOSTLE_KEPT const channel::ModuleRecord* g_last_module = nullptr;
JOSTLE_KEPT uintptr_t g_unwinder_begin = 0;
JOSTLE_KEPT uintptr_t g_unwinder_size = 0;

namespace {

JOSTLE_KEPT channel::Channel* g_channel = nullptr;
JOSTLE_KEPT const channel::ModuleRecord* g_own = nullptr;
JOSTLE_KEPT FunctionTable g_functions[channel::kMaxModules];  // of each module
JOSTLE_KEPT bool g_says_when_ready = false;
JOSTLE_KEPT bool g_orders_unseen = false;
JOSTLE_KEPT bool g_watches_orders = false;

struct Range {
  uintptr_t begin, end;
};
constexpr uint32_t kMostReadOnly = 1024;
JOSTLE_KEPT Range g_read_only[kMostReadOnly];
JOSTLE_KEPT uint32_t g_read_only_count = 0;

void note_read_only(uintptr_t begin, uintptr_t end) {
  if (g_read_only_count < kMostReadOnly) g_read_only[g_read_only_count++] = {begin, end};
}

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Does the module refer to a symbol that begins so? Walks its dynamic symbol table.
bool refers_to(const dl_phdr_info& info, const char* prefix) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
  }
  if (!dynamic) return false;
  const char* strings = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
  }
  // ld.so relocates these pointers; the vDSO's stay file offsets and are of no interest.
  if (!strings || !symbols || reinterpret_cast<uintptr_t>(strings) < info.dlpi_addr) return false;
  // Undefined symbols come first in .dynsym, and the string table follows the symbol table.
  for (const ElfW(Sym)* s = symbols + 1; reinterpret_cast<const char*>(s) + sizeof *s <= strings;
       ++s) {
    if (s->st_shndx == SHN_UNDEF && strncmp(strings + s->st_name, prefix, strlen(prefix)) == 0) {
      return true;
    }
  }
  return false;
}

bool is_system_library(const char* name) {
  for (const char* prefix : {"libc.so", "libstdc++.so", "libc++", "libgcc_s.so", "libunwind.so",
                             "libm.so", "ld-linux", "libpthread.so", "libdl.so", "librt.so",
                             "libjostle.so", "libtsan.so", "linux-vdso", "[vdso]"}) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

// gcc's helpers for atomics of code that was compiled otherwise, which it links in unasked. Each
// asks by x16 which instructions the processor has: adrp, ldrb, cbz, maybe behind a `bti c`.
bool is_compilers_helper(uintptr_t function) {
#ifdef __aarch64__
  uint32_t code[4];
  if (function == 0) return false;
  memcpy(code, reinterpret_cast<const void*>(function), sizeof code);
  constexpr uint32_t kLandingPad = 0xd503245f;
  const uint32_t* at = code[0] == kLandingPad ? code + 1 : code;
  return (at[0] & 0x9f00001f) == 0x90000010 && (at[1] & 0xffc003ff) == 0x39400210 &&
         (at[2] & 0xff00001f) == 0x34000010;
#else
  (void)function;
  return false;
#endif
}

// Of a library that was instrumented: in assembly, as the compiler makes calls of ours otherwise.
bool has_atomics(const dl_phdr_info& info, const FunctionTable& functions, bool instrumented) {
  return !each_atomic_instruction(info, [&](uintptr_t address) {
    return instrumented && is_compilers_helper(functions.find(address).begin);
  });
}

int add_module(dl_phdr_info* info, size_t, void* argument) {
  auto& count = *static_cast<uint32_t*>(argument);
  if (count == channel::kMaxModules) return 1;
  channel::ModuleRecord& record = g_channel->modules[count];
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const uintptr_t from = info->dlpi_addr + header.p_vaddr;
    if ((header.p_type == PT_LOAD && !(header.p_flags & PF_W)) || header.p_type == PT_GNU_RELRO) {
      note_read_only(from, from + header.p_memsz);
    }
    if (header.p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (from + header.p_memsz > end) end = from + header.p_memsz;
  }
  if (end == 0) return 0;
  record.bias = info->dlpi_addr;
  record.begin = begin;
  record.end = end;
  if (info->dlpi_name && info->dlpi_name[0]) {
    snprintf(record.path, sizeof record.path, "%s", info->dlpi_name);
  } else {
    const ssize_t n = readlink("/proc/self/exe", record.path, sizeof record.path - 1);
    record.path[n > 0 ? n : 0] = '\0';
  }
  record.name_hash = fnv1a(base_name(record.path), strlen(base_name(record.path))) & 0xFFFF;
  record.instrumented = refers_to(*info, "__tsan_");
  record.system = is_system_library(base_name(record.path));
  // What libgomp orders is known from its hooks.
  const bool is_known = record.system || strncmp(base_name(record.path), "libgomp.so", 10) == 0;
  g_functions[count] = FunctionTable(*info);
  record.atomics = channel::UnseenAtomics::none;
  if (count > 0 && !is_known && has_atomics(*info, g_functions[count], record.instrumented)) {
    record.atomics = channel::UnseenAtomics::count;
    g_orders_unseen = true;
  }
  if (count == 0 && record.instrumented) {
    g_program_begin = begin;
    g_program_size = end - begin;
  }
  if (strncmp(base_name(record.path), "libgcc_s.so", 11) == 0) {
    g_unwinder_begin = begin;
    g_unwinder_size = end - begin;
  }
  if (refers_to(*info, "jostle_ready")) g_says_when_ready = true;
  take_over_system_calls(*info, base_name(record.path));
  const auto here = reinterpret_cast<uintptr_t>(&add_module);
  if (here >= begin && here < end) g_own = &record;
  ++count;
  return 0;
}

}  // namespace

void refresh_modules(channel::Channel& channel) {
  forget_atomic_sites();
  g_watches_orders = false;
  g_channel = &channel;
  g_last_module = nullptr;
  uint32_t count = 0;
  g_read_only_count = 0;
  g_orders_unseen = false;
  forget_frame_rules();
  dl_iterate_phdr(add_module, &count);
  channel.status.module_count.store(count, std::memory_order_release);
}

namespace {

// What the command has found of the program itself.
bool has_program_atomics() { return g_channel && g_channel->config.unseen_atomics != 0; }

bool are_atomics_of(uint32_t module) {
  return module == 0 ? has_program_atomics()
                     : g_channel->modules[module].atomics != channel::UnseenAtomics::none;
}

int note_atomics(dl_phdr_info* info, size_t, void* argument) {
  const uint32_t count = g_channel->status.module_count.load(std::memory_order_relaxed);
  uint32_t module = 0;
  while (module < count && g_channel->modules[module].bias != info->dlpi_addr) ++module;
  if (module == count || !are_atomics_of(module)) return 0;
  bool& can_watch = *static_cast<bool*>(argument);
  can_watch = note_atomic_sites(*info, g_functions[module]);
  return can_watch ? 0 : 1;
}

}  // namespace

void watch_unseen_orders() {
  if (g_watches_orders || !is_order_unseen()) return;
  bool can_watch = true;
  dl_iterate_phdr(note_atomics, &can_watch);
  if (!can_watch || !watch_atomic_sites()) return forget_atomic_sites();
  g_watches_orders = true;
  const uint32_t count = g_channel->status.module_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    if (are_atomics_of(i)) g_channel->modules[i].atomics = channel::UnseenAtomics::wait;
  }
}

bool unseen_order_begins(const ucontext_t& context) {
  if (!atomic_site_runs(context)) return false;
  g_watches_orders = false;
  g_channel->status.orders_unseen.store(1, std::memory_order_relaxed);
  const uint32_t count = g_channel->status.module_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    channel::ModuleRecord& module = g_channel->modules[i];
    if (module.atomics == channel::UnseenAtomics::wait) {
      module.atomics = channel::UnseenAtomics::count;
    }
  }
  return true;
}

channel::CodeLocation find_code_location(uintptr_t pc) {
  if (pc == 0) return 0;  // of what begins and ends threads: the search would look at every module
  const uint32_t count = g_channel->status.module_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    const channel::ModuleRecord& module = g_channel->modules[i];
    if (pc < module.begin || pc >= module.end) continue;
    g_last_module = &module;
    return code_location(pc);
  }
  return 0;
}

uintptr_t function_description(uintptr_t pc) {
  if (code_location(pc) == 0) return 0;
  return g_functions[g_last_module - g_channel->modules].find(pc).description;
}

uintptr_t function_begin(uintptr_t pc) {
  if (code_location(pc) == 0) return 0;
  return g_functions[g_last_module - g_channel->modules].find(pc).begin;
}

bool is_instrumented_code(uintptr_t pc) {
  return code_location(pc) != 0 && g_last_module->instrumented;
}

bool is_library_code(uintptr_t pc) {
  if (code_location(pc) == 0) return false;
  const channel::ModuleRecord& module = *g_last_module;
  return !module.instrumented && !module.system;
}

bool is_openmp_library(uintptr_t pc) {
  return code_location(pc) != 0 && strncmp(base_name(g_last_module->path), "libgomp.so", 10) == 0;
}

bool is_cxx_library(uintptr_t pc) {
  return is_libcxx(pc) || (code_location(pc) != 0 &&
                           strncmp(base_name(g_last_module->path), "libstdc++.so", 12) == 0);
}

bool is_libcxx(uintptr_t pc) {
  return code_location(pc) != 0 && strncmp(base_name(g_last_module->path), "libc++.so", 9) == 0;
}

bool is_task_library(uintptr_t pc) {
  if (!is_library_code(pc)) return false;
  const char* name = base_name(g_last_module->path);
  for (const char* prefix :
       {"libtbb.so", "libtbb_debug.so", "libomp.so", "libomp5.so", "libomp-", "libiomp5.so"}) {
    if (strncmp(name, prefix, strlen(prefix)) == 0) return true;
  }
  return false;
}

bool is_read_only(uintptr_t address) {
  for (uint32_t i = 0; i < g_read_only_count; ++i) {
    if (address >= g_read_only[i].begin && address < g_read_only[i].end) return true;
  }
  return false;
}

bool is_order_unseen() {
  if (g_channel && g_channel->status.orders_unseen.load(std::memory_order_relaxed) != 0)
    return true;
  return !g_watches_orders && (g_orders_unseen || has_program_atomics());
}

void order_gets_unseen() {
  if (g_channel) g_channel->status.orders_unseen.store(1, std::memory_order_relaxed);
}

bool program_says_when_ready() { return g_says_when_ready; }

bool is_own_code(uintptr_t pc) { return g_own && pc >= g_own->begin && pc < g_own->end; }

}  // namespace jostle::rt
