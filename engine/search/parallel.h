#pragma once
// The one place where the searches make tasks.
#include <cstddef>
#include <functional>

namespace heliolite {

// Runs body(0) .. body(count - 1) on `threads` threads (0 = every core); returns when all are done. Idle threads steal.
// Inside another loop's body it shares that loop's threads.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

}  // namespace heliolite
