#pragma once

namespace troupe {

/// Whether a process would survive this: a copy of this one does it, and ends. It may call nothing but the kernel,
/// since the copy has only the thread that calls. The program sees nothing of the copy: no signal, and no core file.
bool survives(void (*work)());

}  // namespace troupe
