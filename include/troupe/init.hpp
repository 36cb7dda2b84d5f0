#pragma once

// The entry point of programs that start workers or nodes as other processes:
//
//    int main(int argc, char** argv) {
//      troupe::register_model("mine", make_model);  // first register, then init
//      troupe::init(argc, argv);
//      ...
//    }

namespace troupe {

/// Prepares this process for worker processes and nodes. Call `init` in `main`, directly after the program has
/// registered its models, data, functions and so on. Placement `processes` requires this call.
///
/// - In the process that the user started, `init` records that workers can be started, and returns.
/// - In a process that was started as a worker, `init` runs the worker and never returns.
/// - In a process with the arguments `--troupe-join` and `--troupe-certs`, `init` serves as a node and never returns.
///
/// `init` raises the soft limit on open files of this process to the hard limit.
///
/// Worker processes, and the processes in which a node serves runs, are started from this program's file. Each of these
/// processes gets the original arguments of this process, even if `argv` was changed since. So arguments that are read
/// before `init` have the same values in every process. The code before `init` also runs in each of these processes. So
/// it should only register models and the like, and read arguments, but neither print nor start anything. Nodes are
/// started with arguments that begin with `--troupe-`. So if a program serves as a node, a parser that rejects unknown
/// arguments must run after `init`, or must ignore these arguments.
/// @throws Error invalid_argument for an unknown `--troupe-...` argument.
void init(int argc, char** argv);

}  // namespace troupe
