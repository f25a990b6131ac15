#pragma once
// Everything, for programs that use Heliolite as a library.
