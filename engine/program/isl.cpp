#include "engine/program/isl.h"

#include <isl/options.h>

namespace heliolite {

IslContext::IslContext() : context_(isl_ctx_alloc(), isl_ctx_free) {
  isl_options_set_on_error(context_.get(), ISL_ON_ERROR_CONTINUE);
}

IslSteps::IslSteps(const IslContext& context, u64 limit)
    : context_(context.get().get()), before_(isl_ctx_get_max_operations(context_)) {
  isl_ctx_reset_operations(context_);
  isl_ctx_set_max_operations(context_, limit);
}

IslSteps::~IslSteps() {
  isl_ctx_set_max_operations(context_, before_);
  isl_ctx_reset_operations(context_);
}

std::string reason_of(const isl::exception& problem) {
  if (dynamic_cast<const isl::exception_quota*>(&problem) != nullptr)
    return "too complicated: its sets of integer points need too many steps";
  return std::string("isl: ") + problem.what();
}

}  // namespace heliolite
