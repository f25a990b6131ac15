#pragma once
// The library isl: sets and relations of integer points that are bounded by linear constraints with parameters. Its C++
// interface throws; guarded() turns what it throws into diagnostics, and ends what takes too many steps.
#include <isl/aff.h>
#include <isl/cpp.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// Owns what isl needs to live; every isl object must be gone before its last copy is. A struct that holds isl objects
// therefore has its context as first member. Objects of different contexts must not meet, nor those of one be used by
// two threads at a time.
class IslContext {
 public:
  IslContext();
  // No move: isl's objects are copied when what holds them is moved, and those left behind still need it.
  IslContext(const IslContext&) = default;
  IslContext& operator=(const IslContext&) = default;
  ~IslContext() = default;

  isl::ctx get() const { return {context_.get()}; }

 private:
  std::shared_ptr<isl_ctx> context_;
};

// Steps of isl that one call of guarded() may take: some seconds. The same answer on every machine, unlike a clock.
inline constexpr u64 kMaxIslSteps = 40'000'000;

// Begins to count isl's steps anew; more than `limit` of them end in an isl::exception.
class IslSteps {
 public:
  explicit IslSteps(const IslContext& context, u64 limit = kMaxIslSteps);
  ~IslSteps();
  IslSteps(const IslSteps&) = delete;
  IslSteps& operator=(const IslSteps&) = delete;

 private:
  isl_ctx* context_;
  u64 before_;
};

// Why isl could not do it, for a person: "too many steps", or isl's own words.
std::string reason_of(const isl::exception& problem);

// work(), which returns a Result; what isl throws inside becomes a complaint about `field` of `file`.
template <class Work>
auto guarded(const IslContext& context, const std::string& file, const std::string& field, Work work)
    -> decltype(work()) {
  try {
    const IslSteps steps(context);
    return work();
  } catch (const isl::exception& problem) {
    return Diagnostic{file, 0, field, reason_of(problem)};
  }
}

}  // namespace heliolite
