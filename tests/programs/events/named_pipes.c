// Named pipes, one after another, in a folder of their own. The file system gives the number of one
// that was removed to the next file, which is the next pipe, or with an argument another file.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char pipe_name[64];

static void* write_byte(void* unused) {
  const int fd = open(pipe_name, O_WRONLY);
  assert(fd >= 0 && write(fd, "x", 1) == 1);
  close(fd);
  return unused;
}

static void* read_byte(void* unused) {
  char byte;
  const int fd = open(pipe_name, O_RDONLY);
  assert(fd >= 0 && read(fd, &byte, 1) == 1 && byte == 'x');
  assert(read(fd, &byte, 1) == 0);
  close(fd);
  return unused;
}

// The same by streams, which libc opens.
static void* print_byte(void* unused) {
  FILE* file = fopen(pipe_name, "w");
  assert(file && fputc('x', file) == 'x' && fclose(file) == 0);
  return unused;
}

static void* scan_byte(void* unused) {
  FILE* file = fopen(pipe_name, "re");
  assert(file && fgetc(file) == 'x' && fgetc(file) == EOF && fclose(file) == 0);
  return unused;
}

// Whether or not it is time for that, the program's own steps are the same.
static void take_number(const char* folder, int round, int now) {
  char name[64];
  snprintf(name, sizeof name, "%s/file-%d", folder, round);
  assert((mknod(now ? name : folder, S_IFREG | 0600, 0) == 0) == now);
}

int main(int argc, char** argv) {
  (void)argv;
  char folder[] = "/tmp/named-pipes-XXXXXX";
  assert(mkdtemp(folder));
  snprintf(pipe_name, sizeof pipe_name, "%s/pipe", folder);
  for (int round = 0; round < 3; ++round) {
    take_number(folder, round, argc > 1);
    assert(round == 1 ? mknod(pipe_name, S_IFIFO | 0600, 0) == 0 : mkfifo(pipe_name, 0600) == 0);
    pthread_t reader, writer;
    pthread_create(&reader, NULL, round == 2 ? scan_byte : read_byte, NULL);
    pthread_create(&writer, NULL, round == 2 ? print_byte : write_byte, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    take_number(folder, round, argc == 1);
    unlink(pipe_name);
  }
  for (int round = 0; round < 3; ++round) {
    char name[64];
    snprintf(name, sizeof name, "%s/file-%d", folder, round);
    unlink(name);
  }
  rmdir(folder);
  puts("ok");
}

// SPDX-License-Identifier: Apache-2.0
