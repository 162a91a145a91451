//! Commands on two files read both by the same options, and words that begin with a minus.

use super::{hs, ran};

run!(
    each_file_takes_the_columns_that_it_has,
    "joins",
    "orders.csv",
    "customers.csv",
    "customer",
    "--columns",
    "customer,amount,discount",
    "--types",
    "discount=text",
    "--types",
    "amount=text",
    "--rows",
    "2",
    "--format",
    "csv"
);
run!(
    each_file_takes_the_types_that_it_has,
    "compare",
    "orders.csv",
    "orders.parquet",
    "order_id",
    "--columns",
    "order_id,amount,quantity",
    "--types",
    "amount=text"
);
run!(
    a_column_that_neither_file_has,
    "joins",
    "orders.csv",
    "customers.csv",
    "customer",
    "--columns",
    "customer,amout"
);
run!(
    a_type_of_a_column_that_neither_file_has,
    "compare",
    "orders.csv",
    "orders.parquet",
    "order_id",
    "--types",
    "discount=text"
);
run!(
    a_sheet_of_both_files,
    "joins",
    "orders.xlsx",
    "orders.xlsx",
    "order_id",
    "--sheet",
    "2026",
    "--columns",
    "order_id,code",
    "--rows",
    "1",
    "--format",
    "csv"
);
run!(
    a_condition_that_begins_with_a_minus,
    "verifie",
    "orders.csv",
    "-quantity <= 0",
    "-1 < quantity",
    "--format",
    "csv"
);
run!(
    an_option_that_verifie_does_not_have,
    "verifie",
    "orders.csv",
    "-x",
    "quantity > 0"
);
run!(
    fewer_than_no_groups,
    "combien",
    "orders.csv",
    "customer",
    "-n",
    "-1"
);
run!(fewer_than_no_rows, "montre", "orders.csv", "-n", "-1");
run!(
    more_groups_than_any_number,
    "combien",
    "orders.csv",
    "paid",
    "-n",
    "99999999999999999999999999"
);

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_without_a_file() {
    let mut command = hs(&["charge", "orders.csv", "--format", "csv"]);
    let full = std::fs::File::create("/dev/full").expect("Linux has it");
    command.stdout(full);
    insta::assert_snapshot!(ran(command));
}
