// The name and the language of the person who is signed in.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { UpdateProfileDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { LANGUAGES } from '../../languages.ts';
import { useSession } from '../../session.ts';

export function ProfileForm(): ReactNode {
  const { person } = useSession();
  const [, update] = useMutation(UpdateProfileDocument);
  return (
    <div className="narrow">
      <OperationForm
        action="Save"
        onSubmit={async (data) => {
          const name = textOf(data, 'name');
          const outcome = await update({ ...(name && { name }), locale: textOf(data, 'locale') });
          if (outcome.data) announce('Your profile is saved');
          return outcome;
        }}
      >
        <Field
          label="Your name"
          name="name"
          hint="Other members see it."
          autoComplete="name"
          defaultValue={person.name}
          maxLength={100}
        />
        <Select label="Language of your mails" name="locale" options={LANGUAGES} defaultValue={person.locale} />
      </OperationForm>
    </div>
  );
}
