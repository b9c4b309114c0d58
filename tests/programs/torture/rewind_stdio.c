// stdio: buffers, positions, pushed-back bytes, a buffer of the program's own, files left open.
#include <string.h>
#include <unistd.h>

#include "pristine.h"

static char own_buffer[512];
static FILE* log_file;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* chatter(void* number) {
  for (int i = 0; i < 3; i++) {
    printf("thread %ld says %d\n", (long)number, i);
    pthread_mutex_lock(&lock);
    fprintf(log_file, "%ld.%d\n", (long)number, i);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void read_back(void) {
  long thread;
  int i, lines = 0;
  rewind(log_file);
  while (fscanf(log_file, "%ld.%d", &thread, &i) == 2) lines++;
  MUST(lines == 6);
  MUST(feof(log_file));
}

static void read_standard_input(void) {
  char line[64];
  int read = 0;
  // Empty or whatever the command gives us: the same each time.
  while (read < 3 && fgets(line, sizeof line, stdin)) read++;
  const int c = fgetc(stdin);
  if (c != EOF) MUST(ungetc('!', stdin) == '!' && getchar() == '!');
}

// What the next descriptor is; 3, unless the program inherits more than the usual.
static int first_free;
__attribute__((constructor)) static void find_first_free(void) {
  first_free = dup(2);
  close(first_free);
}

int main(void) {
  PRISTINE(log_file == NULL && own_buffer[0] == 0);
  PRISTINE(!feof(stdin) && !ferror(stdin) && !ferror(stdout));
  PRISTINE(stdin->_IO_read_ptr == stdin->_IO_read_end);
  PRISTINE(stdout->_IO_write_ptr == stdout->_IO_write_base);
  PRISTINE(fileno(stdin) == 0 && fileno(stdout) == 1);
  log_file = tmpfile();
  MUST(log_file && fileno(log_file) == first_free);
  MUST(setvbuf(log_file, own_buffer, _IOFBF, sizeof own_buffer) == 0);
  in_threads(2, chatter);
  read_back();
  read_standard_input();
  FILE* left_open = fopen("/dev/null", "w");
  MUST(left_open);
  fprintf(left_open, "never flushed by hand");
  fputs("no end of line", stdout);
  MUST(fclose(stdin) == 0);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
