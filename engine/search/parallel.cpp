#include "engine/search/parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace heliolite {

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  if (threads == 1 || count <= 1) {
    for (std::size_t k = 0; k < count; ++k) body(k);
    return;
  }
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    // Searches differ in length by orders of magnitude: one task each, no chunks.
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t k = range.begin(); k != range.end(); ++k) body(k);
                      },
                      tbb::simple_partitioner{});
  });
}

}  // namespace heliolite
