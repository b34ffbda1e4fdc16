# SPDX-FileCopyrightText: 2026 CHARMIE dynamics maintainers
# SPDX-License-Identifier: Apache-2.0

"""All uses of numba's private interfaces: parts, the cache of compiled code, calls by address.

`compiler` replaces this module by public interfaces where it cannot be imported, and for versions
of numba that were not tested.

If one compiled function calls another, numba prepares the callee for calls from Python, too. It
adds wrappers that unpack Python's arguments, optimises it, generates machine code, stores it on
disk, and optimises it again in each caller. The caller needs only the types and the instructions.
Without the other steps the first start takes far less time, and the compiled code is the same.

With ``forceinline`` a part is inlined at each call; otherwise each kernel contains it once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import typing
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.typed_passes import IRLegalization, NativeLowering, NoPythonBackend
from numba.core.types.abstract import Literal
from numba.core.types.containers import BaseAnonymousTuple
from numba.core.types.misc import unliteral

# passes of numba for features that kernels do not use: contexts, inner closures, literal arguments,
# functions with ``inline``. After each pass numba analyses the whole function again.
NEEDLESS = {
    *("WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables"),
    *("FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass"),
    *("RewriteDynamicRaises", "InlineOverloads"),
}
# an error at import if numba has none of the methods that this module overrides or calls
for _owner, _names in (
    (Dispatcher, ("get_call_template", "get_overload")),
    (FunctionCache, ("load_overload",)),
    (JITCodeLibrary, ("_optimize_final_module", "_finalize_final_module", "add_ir_module")),
    (JITCodeLibrary, ("_finalize_dynamic_globals", "get_pointer_to_function")),
):
    for _name in _names:
        getattr(_owner, _name)


def make_dispatcher(
    function: Callable[..., Any], options: dict[str, Any], folder: Path | None
) -> Any:
    """Return the compiled function, whose code is stored in a folder; callers contain its code."""
    # kernels allocate nothing, so no references have to be counted
    options = {**options, "no_cfunc_wrapper": True, "_nrt": False}
    dispatcher = njit(**options)(function)
    if folder is not None:
        dispatcher._cache = _KernelCache(function, folder)
    Parts(dispatcher, options)
    return dispatcher


def address_of_code(dispatcher: Any) -> int:
    """Return the address of the machine code of a function that is compiled once."""
    (made,) = dispatcher.overloads.values()
    address: int = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    return address


def call_code(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Generate a call of the function at the address that is the first argument."""
    conventions = context.call_conv
    kinds = sig.args[1:]
    kind = conventions.get_function_type(sig.return_type, kinds).as_pointer()
    code = builder.inttoptr(arguments[0], kind)
    status, result = conventions.call_function(builder, code, sig.return_type, kinds, arguments[1:])
    # as for an index out of bounds
    with builder.if_then(status.is_error, likely=False):
        conventions.return_status_propagate(builder, status)
    return result


class Parts:
    """The instructions of a function for compiled callers, once for each combination of types.

    Parameters
    ----------
    dispatcher : numba.core.dispatcher.Dispatcher
        Dispatcher of the function, for calls from Python.
    options : dict
        Options of the compiler.
    """

    def __init__(self, dispatcher: Any, options: dict[str, Any]) -> None:
        self._name = dispatcher.py_func.__name__
        options = {**options, "nopython": True, "no_cpython_wrapper": True}
        self._compiler = type(dispatcher._compiler)(
            dispatcher.py_func, dispatcher.targetdescr, options, {}, _PartCompiler
        )
        self._made: dict[tuple[Any, ...], Any] = {}
        # numba calls these two methods of the dispatcher when compiled code calls the function
        dispatcher.get_call_template = self.get_call_template
        dispatcher.get_overload = self.get_overload

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the typing of a call, as `Dispatcher` does, and compile the part if necessary."""
        signature, kinds = self._compiler.fold_argument_types(args, kws)
        kinds = tuple(_of_any_number(kind) for kind in kinds)
        if kinds not in self._made:
            with global_compiler_lock:
                self._made[kinds] = self._compiler.compile(kinds, None)
        signatures = [made.signature for made in self._made.values()]
        template = typing.make_concrete_template(self._name, self._name, signatures)
        return template, signature, kinds, {}

    def get_overload(self, kinds: Any) -> Any:
        """Return the entry point that identifies a part, as `Dispatcher` does."""
        return self._made[tuple(kinds)].entry_point


def _of_any_number(kind: Any) -> Any:
    """Return a type without its literal values.

    A variable that begins as 0 has a literal type until numba has analysed the rest of the
    function. For this type numba would compile a part that no function calls.
    """
    if isinstance(kind, Literal | BaseAnonymousTuple):
        return unliteral(kind)
    return kind


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        manager = PassManager("part")
        for define in (
            DefaultPassBuilder.define_untyped_pipeline,
            DefaultPassBuilder.define_typed_pipeline,
        ):
            made = define(self.state).passes
            manager.passes.extend(item for item in made if item[0].__name__ not in NEEDLESS)
        for each in (IRLegalization, _LowerPart, NoPythonBackend):
            manager.add_pass(each, each.__name__)
        manager.finalize()
        return [manager]


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        target = state.targetctx
        state.library = _PartLibrary(target.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        described, helper, _, environment = state["cr"]
        name = object()  # in numba itself, the wrapper of the machine code
        target.insert_user_function(name, described, [state.library])
        state["cr"] = _LowerResult(described, helper, cfunc=name, env=environment)
        return True


class _PartLibrary(JITCodeLibrary):
    """Instructions that are linked into callers and optimised there."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Add a module, and mark functions that are not inlined as ``noinline``."""
        for function in ir_module.functions:
            if not function.is_declaration and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Locator(_CacheLocator):
    """A folder for each module in the folder of this version."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def from_function(self, function: Callable[..., Any], file: str) -> _Locator:
        """Return the locator of a function."""
        self._line = function.__code__.co_firstlineno
        self._path = self._folder / function.__module__
        self._py_file = function.__code__.co_filename  # for numba's warning of unserialisable code
        return self

    def get_cache_path(self) -> str:
        """Return the folder of the function's module."""
        return str(self._path)

    def get_source_stamp(self) -> str:
        """Return the stamp of the sources: code with another stamp is invalid."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Return the line of the function, which distinguishes equal names in one module."""
        return str(self._line)


class _KernelCache(FunctionCache):
    """The stored code of one function; an unreadable file counts as missing."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        locators = {"_locator_classes": [_Locator(folder)]}
        self._impl_class = type("_Implementation", (CompileResultCacheImpl,), locators)
        super().__init__(function)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for some types of arguments; None if it is not stored."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # any error of unpickling: a truncated file, or types that were removed
            return None
