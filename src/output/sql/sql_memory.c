/* Memory of a database from the allocator that opened it. */
#include <string.h>

#include "output/sql/sql_database.h"

void *ets_sql_alloc(const struct ets_sql *sql, size_t bytes)
{
    const struct ets_allocator *allocator = sql->data.arena.allocator;
    void *pointer = allocator->reallocate(allocator->context, NULL, bytes);
    if (pointer != NULL) memset(pointer, 0, bytes);
    return pointer;
}

void ets_sql_release(const struct ets_sql *sql, void *pointer)
{
    const struct ets_allocator *allocator = sql->data.arena.allocator;
    allocator->release(allocator->context, pointer);
}
