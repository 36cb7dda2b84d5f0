#pragma once

namespace troupe {

/// Call it in main as soon as models and the like are registered. A process that was started as a worker runs here and
/// never returns, and so does one that serves as a node, because its arguments hold `--troupe-join` and
/// `--troupe-certs`; in the user's own process it notes that workers can be started, which placement `processes` needs.
/// Raises this process's soft limit on open files to its hard one.
///
/// A worker process, and the process in which a node serves a run, are this program again, with the arguments that it
/// was started with itself, whatever has become of `argv` since: flags that are read before `init` are read there, too,
/// and models see the same everywhere. Code before `init` runs in each of them, so it should register and read
/// arguments, and neither print nor start anything. A parser that refuses what it does not know comes behind `init`, or
/// leaves `--troupe-...` alone, where the program is to serve as a node.
/// @throws Error invalid_argument for a `--troupe-...` argument it does not know.
void init(int argc, char** argv);

}  // namespace troupe
