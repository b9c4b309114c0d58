// usage: large MEGABYTES: so much heap, filled before main; a run touches 20 pages of it.
#include <cstdlib>
#include <cstring>
#include <thread>

static char* memory;
static size_t size;

__attribute__((constructor)) static void fill(int argc, char** argv) {
  size = static_cast<size_t>(argc > 1 ? std::atoi(argv[1]) : 100) << 20;
  memory = static_cast<char*>(std::malloc(size + 1));
  std::memset(memory, 1, size + 1);
}

int main() {
  std::thread a([] {}), b([] {});
  for (size_t i = 0; i < 20 && size; ++i) memory[i * (size / 20)] = 2;
  a.join();
  b.join();
}
