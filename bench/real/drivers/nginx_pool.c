// SPDX-License-Identifier: Apache-2.0
// nginx's pool of two threads, set up as its configuration does: each of three tasks is completed.
#undef NDEBUG
#include <assert.h>
#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_thread_pool.h>
#include <semaphore.h>

extern ngx_module_t ngx_thread_pool_module;

static sem_t told;
static ngx_event_handler_pt handler_of_all;
static int completed;

static ngx_int_t notify(ngx_event_handler_pt handler) {
  __atomic_store_n(&handler_of_all, handler, __ATOMIC_RELEASE);
  return sem_post(&told);
}

static void work(void* data, ngx_log_t* log) { *(int*)data += 1; }

static void complete(ngx_event_t* event) { completed += *(int*)event->data; }

int main(void) {
  ngx_log_t log = {0};
  log.file = calloc(1, sizeof(ngx_open_file_t));
  ngx_pagesize = 4096;
  ngx_pool_t* pool = ngx_create_pool(4096, &log);
  void** contexts[1] = {0};
  ngx_cycle_t cycle = {.conf_ctx = (void****)contexts, .pool = pool, .log = &log};
  ngx_thread_pool_module.index = 0;
  const ngx_core_module_t* module = ngx_thread_pool_module.ctx;
  contexts[0] = module->create_conf(&cycle);

  ngx_str_t words[] = {ngx_string("thread_pool"), ngx_string("two"), ngx_string("threads=2")};
  ngx_array_t arguments = {.elts = words, .nelts = 3};
  ngx_conf_file_t file = {0};
  ngx_conf_t conf = {
      .cycle = &cycle, .pool = pool, .log = &log, .args = &arguments, .conf_file = &file};
  ngx_command_t* command = ngx_thread_pool_module.commands;
  assert(command->set(&conf, command, NULL) == NGX_CONF_OK);

  sem_init(&told, 0, 0);
  ngx_event_actions.notify = notify;
  assert(ngx_thread_pool_module.init_process(&cycle) == NGX_OK);
  for (int i = 0; i < 3; ++i) {
    ngx_thread_task_t* task = ngx_thread_task_alloc(pool, sizeof(int));
    task->handler = work;
    task->event.handler = complete;
    task->event.data = task->ctx;
    assert(ngx_thread_task_post(ngx_thread_pool_get(&cycle, &words[1]), task) == NGX_OK);
  }
  while (completed < 3) {
    sem_wait(&told);
    __atomic_load_n(&handler_of_all, __ATOMIC_ACQUIRE)(NULL);
  }
  ngx_thread_pool_module.exit_process(&cycle);
}
