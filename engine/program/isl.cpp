#include "engine/program/isl.h"

#include <isl/mat.h>
#include <isl/options.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/integers.h"

// A function of the library that its headers do not declare: counts one step; an error where that is one too many.
extern "C" int isl_ctx_next_operation(isl_ctx* context);

namespace heliolite {
namespace {

constexpr u64 kUnlimited = std::numeric_limits<u64>::max();

u64 limit_of(isl_ctx* context) {
  const u64 most = isl_ctx_get_max_operations(context);
  return most == 0 ? kUnlimited : most;
}

void set_limit(isl_ctx* context, u64 limit) {
  isl_ctx_set_max_operations(context, limit == kUnlimited ? 0 : std::max<u64>(limit, 1));
}

// Steps since the count began, to within the few that asking takes: isl refuses a step where they reach the limit.
u64 steps_taken(isl_ctx* context) {
  const u64 most = limit_of(context);
  u64 low = 0, high = std::min(most, u64{1} << 40);
  while (low < high) {
    const u64 middle = low + (high - low) / 2;
    isl_ctx_set_max_operations(context, middle + 1);
    if (isl_ctx_next_operation(context) == 0) high = middle;
    else low = middle + 1;
    isl_ctx_reset_error(context);
  }
  set_limit(context, most);
  return low;
}

}  // namespace

IslContext::IslContext() : context_(isl_ctx_alloc(), isl_ctx_free) {
  isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
}

IslSteps::IslSteps(const IslContext& context, u64 limit) : context_(context.get().get()) {
  const u64 around = limit_of(context_);
  left_around_ = around == kUnlimited ? around : around - std::min(around, steps_taken(context_));
  own_ = std::min(limit, left_around_);
  isl_ctx_reset_operations(context_);
  set_limit(context_, own_);
}

IslSteps::~IslSteps() {
  // What is left of the own limit may be less: parts of the work that counted for themselves took theirs off it.
  const u64 limit = limit_of(context_);
  const u64 left = limit - std::min(limit, steps_taken(context_));
  set_limit(context_, left_around_ == kUnlimited ? kUnlimited : left_around_ - (own_ - std::min(own_, left)));
  isl_ctx_reset_operations(context_);
}

IslTrouble trouble_of(const IslContext& context, const isl::exception& problem) {
  isl_ctx* const raw = context.get().get();
  // isl's own functions return nothing where they fail, which is then complained about as a missing input.
  const isl_error last = isl_ctx_last_error(raw);
  isl_ctx_reset_error(raw);
  if (isl_ctx_aborted(raw) != 0) return IslTrouble::Stopped;
  if (dynamic_cast<const isl::exception_quota*>(&problem) != nullptr || last == isl_error_quota)
    return IslTrouble::TooManySteps;
  return IslTrouble::Other;
}

std::string reason_of(IslTrouble trouble, const isl::exception& problem) {
  switch (trouble) {
    case IslTrouble::TooManySteps: return "too complicated: its sets of integer points need too many steps";
    case IslTrouble::Stopped: return "stopped before it was known";
    case IslTrouble::Other: break;
  }
  return std::string("isl: ") + problem.what();
}

void require(const void* made, const isl::ctx& context) {
  if (made == nullptr) isl::exception::throw_last_error(context);
}

void ProgramStop::request() {
  const std::lock_guard lock(mutex_);
  requested_ = true;
  if (end_) end_();
}

IslStop::IslStop(const IslContext& context, ProgramStop* stop) : context_(context), stop_(stop) {
  if (stop == nullptr) return;
  const std::lock_guard lock(stop->mutex_);
  isl_ctx* const raw = context.get().get();
  stop->end_ = [raw] { isl_ctx_abort(raw); };
  if (stop->requested_) isl_ctx_abort(raw);
}

IslStop::~IslStop() {
  if (stop_ == nullptr) return;
  const std::lock_guard lock(stop_->mutex_);
  stop_->end_ = nullptr;
}

void IslStop::resume() {
  if (stop_ == nullptr) return;
  const std::lock_guard lock(stop_->mutex_);
  stop_->end_ = nullptr;
  isl_ctx_resume(context_.get().get());
}

bool has_affine_programs() { return true; }

// Questions to sets and relations.

namespace {

// The equalities of the points' affine hull: columns of set dimensions, local variables, parameters, the constant.
RationalMatrix hull_equalities(const isl::basic_set& points, isl_size& locals) {
  const isl::basic_set hull = isl::manage(isl_basic_set_affine_hull(points.copy()));
  locals = isl_basic_set_dim(hull.get(), isl_dim_div);
  isl_mat* matrix = isl_basic_set_equalities_matrix(hull.get(), isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
  require(matrix, points.ctx());
  RationalMatrix rows;
  for (int r = 0; r < isl_mat_rows(matrix); ++r) {
    std::vector<Rational> row;
    for (int c = 0; c < isl_mat_cols(matrix); ++c) {
      isl_val* value = isl_mat_get_element_val(matrix, r, c);
      row.emplace_back(isl_val_get_num_si(value));
      isl_val_free(value);
    }
    rows.push_back(std::move(row));
  }
  isl_mat_free(matrix);
  return rows;
}

int rank_of_columns(const RationalMatrix& rows, std::size_t first, std::size_t count) {
  RationalMatrix part;
  for (const auto& row : rows) part.emplace_back(row.begin() + first, row.begin() + (first + count));
  return Subspace::span(static_cast<int>(count), std::move(part)).dimension();
}

std::vector<isl::basic_set> alternatives(const isl::set& points) {
  std::vector<isl::basic_set> found;
  points.foreach_basic_set([&](const isl::basic_set& b) {
    if (!b.is_empty()) found.push_back(b);
  });
  return found;
}

}  // namespace

int dimension_of(const isl::set& points) {
  int most = -1;
  const auto d = static_cast<int>(points.tuple_dim());
  for (const isl::basic_set& b : alternatives(points)) {
    isl_size locals = 0;
    const RationalMatrix rows = hull_equalities(b, locals);
    const auto n = at(d), l = at(locals);
    most = std::max(most, d - (rank_of_columns(rows, 0, n + l) - rank_of_columns(rows, n, l)));
  }
  return most;
}

Subspace linear_span(const isl::set& points) {
  const auto d = static_cast<int>(points.tuple_dim());
  Subspace span(d);
  for (const isl::basic_set& b : alternatives(points.project_out_all_params())) {
    isl_size locals = 0;
    const RationalMatrix rows = hull_equalities(b, locals);
    // With one coordinate more for the constant, points become rays.
    const Subspace rays = Subspace::kernel(d + locals + 1, rows);
    RationalMatrix directions;
    for (const auto& ray : rays.basis()) directions.emplace_back(ray.begin(), ray.begin() + d);
    span = span + Subspace::span(d, std::move(directions));
  }
  return span;
}

std::vector<isl::map> conjunctions(const isl::union_map& relation) {
  std::vector<isl::map> found;
  relation.coalesce().foreach_map([&](const isl::map& map) {
    map.foreach_basic_map([&](const isl::basic_map& b) {
      if (!b.is_empty()) found.emplace_back(b);
    });
  });
  return found;
}

isl::set part_like(const isl::union_set& points, const isl::set& like) { return points.extract_set(like.space()); }

}  // namespace heliolite
