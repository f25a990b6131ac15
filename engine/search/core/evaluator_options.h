#pragma once
// The rows of the table of options that an evaluator adds (docs/evaluator.md).
#include "engine/search/core/option_table.h"

namespace heliolite {

SearchOption evaluator_option();
SearchOption evaluator_protocol_option();
SearchOption evaluator_seconds_option();

}  // namespace heliolite
