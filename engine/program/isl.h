#pragma once
// The library isl: sets and relations of integer points that are bounded by linear constraints with parameters. Its
// C++ interface throws; guarded() turns what it throws into diagnostics, and ends what takes too many steps. Last come
// questions to sets that it has no single answer to.
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
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/hbl/hbl_subspace.h"
#include "engine/program/affine_support.h"

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

// Steps of isl that one call of guarded() may take: a second or two. The same answer on every machine, unlike a clock.
inline constexpr u64 kMaxIslSteps = 40'000'000;

// Counts isl's steps while it lives; more than `limit` of them end in an isl::exception. Within another one they count
// for that too, and cannot be more than it has left.
class IslSteps {
 public:
  explicit IslSteps(const IslContext& context, u64 limit = kMaxIslSteps);
  ~IslSteps();
  IslSteps(const IslSteps&) = delete;
  IslSteps& operator=(const IslSteps&) = delete;

 private:
  isl_ctx* context_;
  u64 left_around_ = 0;  // steps left of the limit around
  u64 own_ = 0;
};

// Lets `stop` (null: nobody) end isl's work while it lives: that then ends in an isl::exception.
class IslStop {
 public:
  IslStop(const IslContext& context, ProgramStop* stop);
  ~IslStop();
  IslStop(const IslStop&) = delete;
  IslStop& operator=(const IslStop&) = delete;
  // What follows is not stopped any more: a few steps that put an answer together.
  void resume();

 private:
  const IslContext& context_;
  ProgramStop* stop_;
};

// Why isl threw; forgets it.
enum class IslTrouble { TooManySteps, Stopped, Other };
IslTrouble trouble_of(const IslContext& context, const isl::exception& problem);

// Why isl threw, for a person: "too complicated: ..", or isl's own words.
std::string reason_of(IslTrouble trouble, const isl::exception& problem);

// Throws where isl could not make what a C function of it should have returned.
void require(const void* made, const isl::ctx& context);

// work(), which returns a Result; what isl throws inside becomes a complaint about `field` of `file`.
template <class Work>
auto guarded(const IslContext& context, const std::string& file, const std::string& field, Work work,
             u64 limit = kMaxIslSteps) -> decltype(work()) {
  const IslSteps steps(context, limit);
  try {
    return work();
  } catch (const isl::exception& problem) {
    return Diagnostic{file, 0, field, reason_of(trouble_of(context, problem), problem)};
  }
}

// Questions to sets and relations of isl that it has no single answer to.

// How many dimensions the points fill where the parameters are large: those of the set without independent equalities;
// the largest of its alternatives counts. -1: no points.
int dimension_of(const isl::set& points);

// The smallest subspace of Q^d (d: the set's dimensions) that has all points, for whatever parameters.
Subspace linear_span(const isl::set& points);

// The alternatives of a relation, each a conjunction.
std::vector<isl::map> conjunctions(const isl::union_map& relation);

// The set in the union of that tuple: "[N] -> { S0[i, j] : .. }" of the space of `like`; maybe empty.
isl::set part_like(const isl::union_set& points, const isl::set& like);

}  // namespace heliolite
