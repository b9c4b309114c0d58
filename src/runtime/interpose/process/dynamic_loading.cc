// SPDX-License-Identifier: Apache-2.0
// Loading and unloading shared libraries.
//
// The loader runs constructors and callbacks of the program with its own lock held. That lock
// belongs to a kernel thread, of which there is one: two of our threads inside would block the
// process. So they meet at a lock of the scheduler first, and inside nobody gives way without need.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/process/processor_sites.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/snapshot/leave.h"

namespace jostle::rt {
namespace {

struct LoaderLock {
  uint32_t owner = UINT32_MAX;  // index of the thread
  uint32_t depth = 0;
  bool free_for(const Thread& thread) const { return depth == 0 || owner == thread.index; }
};
LoaderLock g_loader;

class InsideLoader {
 public:
  explicit InsideLoader(uintptr_t pc) {
    const Thread& self = *g_current;
    if (!g_loader.free_for(self)) {
      g_scheduler.wait(operation(OpKind::mutex_lock, &g_loader, pc),
                       [&self] { return g_loader.free_for(self); }, {.undisturbed = true});
    }
    g_loader.owner = self.index;
    if (++g_loader.depth == 1) g_scheduler.changed(&g_loader);
  }
  ~InsideLoader() {
    if (--g_loader.depth == 0) g_scheduler.changed(&g_loader);
  }
  InsideLoader(const InsideLoader&) = delete;
  InsideLoader& operator=(const InsideLoader&) = delete;

 private:
  NoPreemption no_preemption_;
};

// ---- where the caller would look for a library --------------------------------------------------
// The loader searches the DT_RUNPATH of the module that calls dlopen; behind a hook that is us. So
// a plain name is looked for on the real caller's path here.

struct SearchPath {
  const char* list = nullptr;  // directories, separated by colons
  const link_map* module = nullptr;
};

SearchPath search_path_of(uintptr_t caller) {
  Dl_info info;
  link_map* module = nullptr;
  if (!dladdr1(reinterpret_cast<void*>(caller), &info, reinterpret_cast<void**>(&module),
               RTLD_DL_LINKMAP) ||
      !module) {
    return {};
  }
  const char* strings = nullptr;
  uint64_t runpath = 0;
  uint64_t rpath = 0;
  for (const ElfW(Dyn)* entry = module->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_RUNPATH) runpath = entry->d_un.d_val;
    if (entry->d_tag == DT_RPATH) rpath = entry->d_un.d_val;
  }
  const uint64_t offset = runpath ? runpath : rpath;
  return strings && offset ? SearchPath{strings + offset, module} : SearchPath{};
}

size_t directory_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? static_cast<size_t>(slash - path) : 0;
}

// Appends `text` (of `length`) to `to`; false when it does not fit.
bool append(char (&to)[4096], const char* text, size_t length) {
  const size_t used = strlen(to);
  if (used + length >= sizeof to) return false;
  memcpy(to + used, text, length);
  to[used + length] = '\0';
  return true;
}

// One directory of the list, with $ORIGIN replaced, and the file in it.
bool expand(const char* directory, size_t length, const link_map& module, const char* file,
            char (&to)[4096]) {
  char program[4096];
  const char* origin = module.l_name;
  if (!*origin) {  // the program itself
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return false;
    program[n] = '\0';
    origin = program;
  }
  to[0] = '\0';
  for (size_t i = 0; i < length;) {
    size_t variable = 0;
    if (length - i >= 7 && strncmp(directory + i, "$ORIGIN", 7) == 0) variable = 7;
    if (length - i >= 9 && strncmp(directory + i, "${ORIGIN}", 9) == 0) variable = 9;
    const bool fits =
        variable ? append(to, origin, directory_length(origin)) : append(to, directory + i, 1);
    if (!fits) return false;
    i += variable ? variable : 1;
  }
  return append(to, "/", 1) && append(to, file, strlen(file));
}

void* open_on_path_of(uintptr_t caller, const char* file, int mode) {
  const SearchPath path = search_path_of(caller);
  if (!path.list) return nullptr;
  char candidate[4096];
  for (const char* directory = path.list; *directory;) {
    const size_t length = strcspn(directory, ":");
    if (expand(directory, length, *path.module, file, candidate) &&
        ::access(candidate, R_OK) == 0) {
      if (void* handle = REAL(dlopen)(candidate, mode)) return handle;
    }
    directory += length + (directory[length] == ':');
  }
  return nullptr;
}

void* open_library(const char* file, int mode, uintptr_t caller) {
  const bool plain_name = file && *file && !strchr(file, '/');
  if (file) {
    if (void* loaded = REAL(dlopen)(file, mode | RTLD_NOLOAD)) return loaded;
    if (!(mode & RTLD_NOLOAD)) needs_own_process("loads libraries while it runs");
  }
  if (!plain_name) return REAL(dlopen)(file, mode);
  const int saved = errno;
  if (void* handle = open_on_path_of(caller, file, mode)) return handle;
  errno = saved;
  return REAL(dlopen)(file, mode);
}

void note_loaded() {
  refresh_modules(g_scheduler.channel());
  take_over_processor_sites();
}

// ---- what the program hears of loaded libraries -------------------------------------------------

struct Visitor {
  int (*callback)(dl_phdr_info*, size_t, void*);
  void* data;
};

bool is_ours(const dl_phdr_info& info) {
  const auto here = reinterpret_cast<uintptr_t>(&is_ours);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    if (here - info.dlpi_addr - header.p_vaddr < header.p_memsz) return true;
  }
  return false;
}

// Who asks for a library's data wants to read it, as garbage collectors do in search of pointers.
// Ours differ from run to run and point to anything: our library is shown without them.
int visit(dl_phdr_info* info, size_t size, void* argument) {
  const auto& visitor = *static_cast<const Visitor*>(argument);
  constexpr int kMost = 32;
  if (info->dlpi_phnum > kMost || !is_ours(*info)) {
    return visitor.callback(info, size, visitor.data);
  }
  ElfW(Phdr) headers[kMost];
  dl_phdr_info shown = {};
  memcpy(&shown, info, size < sizeof shown ? size : sizeof shown);
  shown.dlpi_phdr = headers;
  shown.dlpi_phnum = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W)) continue;
    headers[shown.dlpi_phnum++] = header;
  }
  return visitor.callback(&shown, size, visitor.data);
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK void* dlopen(const char* file, int mode) noexcept {
  if (!controlled()) return open_library(file, mode, CALLER());
  is_no_step();  // whether it is there depends on who else has loaded it
  const InsideLoader inside(CALLER());
  void* handle = open_library(file, mode, CALLER());
  if (handle) note_loaded();
  return handle;
}

JOSTLE_HOOK void* dlmopen(Lmid_t name_space, const char* file, int mode) noexcept {
  if (!controlled()) return REAL(dlmopen)(name_space, file, mode);
  needs_own_process("loads libraries while it runs");
  const InsideLoader inside(CALLER());
  void* handle = REAL(dlmopen)(name_space, file, mode);
  if (handle) note_loaded();
  return handle;
}

JOSTLE_HOOK int dlclose(void* handle) noexcept {
  if (!controlled()) return REAL(dlclose)(handle);
  is_no_step();
  image_open_all();
  const InsideLoader inside(CALLER());
  return REAL(dlclose)(handle);
}

JOSTLE_HOOK int dl_iterate_phdr(int (*callback)(dl_phdr_info*, size_t, void*), void* data) {
  if (!controlled() || is_own_code(CALLER())) return REAL(dl_iterate_phdr)(callback, data);
  const InsideLoader inside(CALLER());
  Visitor visitor = {callback, data};
  return REAL(dl_iterate_phdr)(visit, &visitor);
}
