#ifndef QUEUE_H
#define QUEUE_H

#ifdef __cplusplus
extern "C" {
#endif

struct queue;

struct queue* queue_new(void);
void queue_free(struct queue* queue);
void queue_push(struct queue* queue, int value);
int queue_pop(struct queue* queue); /* waits for a value */
unsigned queue_digest(const char* name);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
